/**
 * Made-up conversations with the word statistics of real ones: few words make most of the text, many
 * are rare, and names turn up in bursts. The same seed gives the same corpus.
 *
 * @module
 */

/** One message of the corpus. */
export interface CorpusMessage {
  readonly session: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A conversation corpus and questions about it. */
export interface Corpus {
  readonly messages: readonly CorpusMessage[];
  /** Questions of eight to twelve words, some of them rare enough to find something. */
  readonly questions: readonly string[];
}

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** A small generator of repeatable numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const COMMON = [
  ..."the to a of and in is it that for we on this with as not be are you can i from if but".split(
    " ",
  ),
  ..."or have at so what when was by do an there will which should then now file test code".split(
    " ",
  ),
  ..."error use run change line build server function change user data key path name value".split(
    " ",
  ),
];
const ONSETS = "b c d f g h j k l m n p r s t v w z br ch cl cr dr fl gr pl pr sh sl st tr".split(
  " ",
);
const VOWELS = "a e i o u ai ea ee io ou".split(" ");
const CODAS = ["", "", "", "n", "r", "s", "t", "l", "m", "nd", "ck", "ng"];
const VOCABULARY = 12_000;

/** `size` distinct words, the most frequent first. */
function createVocabulary(random: Random, size: number): string[] {
  const words = new Set(COMMON);
  while (words.size < size) {
    let word = "";
    for (let syllables = 1 + Math.floor(random() * 3); syllables >= 0; syllables--) {
      word += pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS);
    }
    words.add(word);
  }
  return [...words];
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** A rank below `size` that falls off as 1/rank, as words in texts do. */
function zipfRank(random: Random, size: number): number {
  return Math.min(size - 1, Math.floor(Math.exp(random() * Math.log(size + 1))) - 1);
}

function sentence(random: Random, vocabulary: readonly string[], topic: readonly string[]): string {
  const words: string[] = [];
  for (let left = 6 + Math.floor(random() * 16); left > 0; left--) {
    words.push(
      random() < 0.12
        ? pick(random, topic)
        : vocabulary[zipfRank(random, vocabulary.length)] as string,
    );
  }
  return `${words.join(" ")}.`;
}

/** Makes `count` messages in sessions of about thirty. */
export function createCorpus(count: number, seed = 1): Corpus {
  const random = createRandom(seed);
  const vocabulary = createVocabulary(random, VOCABULARY);
  const messages: CorpusMessage[] = [];
  const questions: string[] = [];
  const start = Date.parse("2026-01-01T08:00:00Z");
  let topic: string[] = [];
  let session = "";
  for (let i = 0; i < count; i++) {
    if (i % 30 === 0) {
      session = `cc-bench-${String(i / 30).padStart(5, "0")}`;
      topic = Array.from({ length: 8 }, () => pick(random, vocabulary.slice(500)));
      questions.push(
        sentence(random, vocabulary, topic).split(" ").slice(0, 8)
          .concat(topic.slice(0, 2)).join(" ") + "?",
      );
    }
    const sentences = 1 + Math.floor(-Math.log(1 - random()) * 3);
    messages.push({
      session,
      role: i % 2 === 0 ? "user" : "assistant",
      text: Array.from({ length: sentences }, () => sentence(random, vocabulary, topic)).join(" "),
      createdAt: new Date(start + i * 60_000).toISOString(),
    });
  }
  return { messages, questions };
}
