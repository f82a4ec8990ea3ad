/**
 * Whether a prompt asks something that memory could answer, or only says "go on".
 *
 * Pure; the embedded engine uses the same rule.
 *
 * @module
 */

/** English words without content. */
const STOP_WORDS =
  "a about above after again all also am an and any are aren as at be because been before being but by can could couldn " +
  "d did didn do does doesn doing don down during each few for from get gets getting got had has have having he her here " +
  "hers him his how i if in into is isn it its itself just let lets ll m may me might more most must my need no nor not " +
  "now of off on once one only or other our out over own re s same shall she should shouldn so some such t than that the " +
  "their them then there these they thing things this those through to too under until up us use ve very want was wasn we " +
  "were what when where which while who whom whose why will with won would wouldn you your yours";

/** Words of assent, thanks, greeting and going on. */
const ACKNOWLEDGEMENTS =
  "agree agreed ah ahead alright amazing approved awesome begin bye carry cheers clear confirm confirmed continue cool " +
  "correct done excellent exactly fine finish go going good great haha hello hey hi hmm huh indeed k keep kk lgtm like " +
  "looks love makes nah nice nope np oh ok okay okey perfect please pls proceed ready really resume retry right see sense " +
  "sorry sounds start step stop super sure thank thanks think thx today try ty understood wait well next wonderful work " +
  "works wow y ya yay yeah yep yes yo yup";

/** Chinese words and phrases of assent, thanks, greeting and going on. */
const CJK_ACKNOWLEDGEMENTS =
  "请继续 继续吧 继续 接着做 接着来 接着 往下 下一步 开始吧 开始 好的 好了 好吧 很好 太好了 不错 没错 没问题 没事 可以了 可以 " +
  "是的 对的 对了 嗯嗯 嗯 行吧 行了 收到 明白了 明白 了解了 了解 知道了 知道 懂了 同意 确认 谢谢你 谢谢 感谢 多谢 辛苦了 辛苦 " +
  "不用了 不用 不需要 不要了 没有了 没了 算了 再来一次 再试一次 再来 再试 重试 试试 试一下 做吧 干吧 去吧 来吧 搞定 完成了 完成 " +
  "先这样 就这样 这样吧 听起来 看起来 你好 您好 哈哈 等等 等一下 稍等 停下 按你说的 你决定 随便 都行 都可以 意思 觉得 看法 步骤";

/** Chinese function words and characters; what stands between them is content. */
const CJK_FUNCTION =
  "为什么 怎么样 怎么办 什么样 什么 怎么 怎样 如何 哪里 哪个 哪些 哪 谁 多少 是否 能否 我们 你们 他们 它们 自己 这个 那个 这些 那些 " +
  "这里 那里 这样 那样 一个 一下 一些 还有 没有 然后 但是 因为 所以 如果 就是 还是 或者 以及 帮我 帮忙 麻烦 " +
  "的 了 吗 呢 吧 啊 呀 哦 嘛 么 是 在 和 与 或 就 都 也 还 又 再 请 帮 我 你 您 他 她 它 这 那 有 要 想 能 会 把 被 给 对 从 到 向 " +
  "为 以 及 着 过 很 太 更 最 不 没 上 下 里 个 好 行";

const ASKS =
  /\b(?:what|where|which|who|whose|when|why|how)\b|为什么|什么|怎么|怎样|如何|哪|谁|多少|几/i;

/*
 * Ranges instead of Unicode properties: building those sets costs a millisecond of every hook.
 * Letters are ASCII, what follows Latin-1's signs, and the blocks of East Asian scripts.
 */

/** Identifiers, paths, dotted and slashed names, code marks, numbers of two digits and more. */
const SPECIFIC =
  /`|\d{2}|[A-Za-z0-9\u00aa-\u1fff\u3040-\ud7af][./\\:#@][A-Za-z0-9\u00aa-\u1fff\u3040-\ud7af]|(?:^|\s)[~./@#-]+[A-Za-z0-9\u00aa-\u1fff\u3040-\ud7af]|[A-Za-z\u00aa-\u1fff]_[A-Za-z\u00aa-\u1fff]|[a-z\u00df-\u00ff][A-Z\u00c0-\u00de]|[A-Za-z\u00aa-\u1fff]-[A-Za-z\u00aa-\u1fff]+-[A-Za-z\u00aa-\u1fff]/;

const CJK_RUN = /[\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+/g;

interface Words {
  readonly empty: ReadonlySet<string>;
  readonly cjk: RegExp;
}
let words: Words | undefined;

function wordLists(): Words {
  words ??= {
    empty: new Set(`${STOP_WORDS} ${ACKNOWLEDGEMENTS}`.split(" ")),
    cjk: new RegExp(`${CJK_ACKNOWLEDGEMENTS} ${CJK_FUNCTION}`.split(" ").join("|"), "g"),
  };
  return words;
}

/**
 * Counts the words of a text that carry content: no stop words, no words of assent. A run of Chinese
 * or Japanese characters counts as its overlapping pairs, a single character as one.
 */
export function countContentTerms(text: string): number {
  const { empty, cjk } = wordLists();
  const found = new Set<string>();
  const latin = text.toLowerCase().replace(CJK_RUN, (run) => {
    for (const piece of run.replace(cjk, " ").split(" ")) {
      if (piece.length === 1) found.add(piece);
      for (let at = 0; at + 1 < piece.length; at++) found.add(piece.slice(at, at + 2));
    }
    return " ";
  });
  for (const word of latin.match(/[\w\u00aa-\u1fff\u3040-\ud7af\uf900-\ufaff]+/g) ?? []) {
    if (!empty.has(word)) found.add(word);
  }
  return found.size;
}

/** True when a text names something: an identifier, a path, a number, a piece of code. */
export function hasSpecific(text: string): boolean {
  return SPECIFIC.test(text);
}

/**
 * True when a prompt is worth looking up: at least two content terms, or one in a question, or
 * anything specific. A bare "ok, go on" or "继续" is not.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(holdsQuestion("ok, please continue"), false);
 * assert.equal(holdsQuestion("值班口令是什么"), true);
 * ```
 */
export function holdsQuestion(text: string): boolean {
  if (hasSpecific(text)) return true;
  const terms = countContentTerms(text);
  return terms >= 2 || (terms === 1 && ASKS.test(text));
}
