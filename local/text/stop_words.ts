/**
 * Words that carry no question: left out of the index and of queries alike.
 *
 * @module
 */

const ENGLISH =
  " a about after again all also am an and any are aren as at be because been before being both but by can could couldn did didn do does doesn doing don down each few for from further get got had hadn has hasn have haven having he her here hers him his how i if in into is isn it its just let ll me more most my no nor not now of off on once only or other our out over own please re same she should shouldn so some such than that the their theirs them then there these they this those through to too under until up ve very was wasn we were weren what when where which while who whom whose why will with won would wouldn yes you your yours ";

/** Two-character pieces of Chinese function words; dropped from queries. */
const CHINESE =
  " 什么 怎么 怎样 么样 如何 为什 为何 哪个 哪些 哪里 哪儿 多少 是否 是不 不是 有没 没有 能不 可以 我们 你们 他们 它们 这个 那个 这些 那些 这里 那里 这样 那样 一个 一下 一些 请问 应该 需要 之前 以前 上次 现在 时候 还是 或者 但是 因为 所以 如果 然后 已经 就是 的话 的是 了吗 是的 在哪 咱们 帮我 告诉 记得 ";

/** True for an English function word in lower case. A search in a text: no table to build in a hook. */
export function isStopWord(word: string): boolean {
  return word.length < 11 && ENGLISH.includes(` ${word} `);
}

/** True for a bigram that belongs to a Chinese function word. */
export function isChineseStop(bigram: string): boolean {
  return bigram.length === 2 && bigram.charCodeAt(0) > 127 && CHINESE.includes(` ${bigram} `);
}
