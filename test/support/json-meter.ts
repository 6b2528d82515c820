import { workShare } from "../../src/platform/load/fair-share.ts";

const TEXTS = /"(?:[^"\\]|\\.)*"/g;
/** Longer texts do not count: a character of them costs a tenth of one of a small part, or less. */
const TEXT_MAX = 32;

const weightOf = (text: string): number =>
  text.replace(TEXTS, (each) => (each.length > TEXT_MAX ? "" : each)).length;

/** Counts the characters of JSON that are parsed and serialized in one turn of the event loop. Replaces functions of the whole process. */
export class JsonMeter {
  readonly #parse = JSON.parse;
  readonly #stringify = JSON.stringify;
  readonly #json = Response.json;
  readonly #next = workShare.next;
  readonly #pause = workShare.pause;
  /** What this turn has parsed and serialized: weighed only if it may be too much. */
  readonly #texts: string[] = [];
  #weighed = 0;
  #characters = 0;
  #most = 0;
  readonly #limit: number;
  /** Where the limit was exceeded first since the last call of `most`. */
  #place = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  start(): void {
    const pause = async (owner?: Parameters<typeof workShare.next>[0]): Promise<void> => {
      await this.#next.call(workShare, owner);
      this.#paused();
    };
    workShare.pause = pause;
    workShare.next = pause;
    JSON.parse = ((text: string, reviver?: (key: string, value: unknown) => unknown) => {
      this.#count(String(text));
      return this.#parse(text, reviver);
    }) as typeof JSON.parse;
    JSON.stringify = ((value: unknown, ...rest: []) => {
      const text = this.#stringify(value, ...rest);
      this.#count(text ?? "");
      return text;
    }) as typeof JSON.stringify;
    Response.json = ((value: unknown, init?: ResponseInit) => {
      this.#count(this.#stringify(value) ?? "");
      return this.#json.call(Response, value, init);
    }) as typeof Response.json;
  }

  stop(): void {
    JSON.parse = this.#parse;
    JSON.stringify = this.#stringify;
    Response.json = this.#json;
    workShare.next = this.#next;
    workShare.pause = this.#pause;
  }

  /** Forgets what was counted. */
  restart(): void {
    this.#paused();
    this.#most = 0;
    this.#place = "";
  }

  /** Returns the most characters of one turn since the last restart, and where they were more than the limit first. */
  most(): { readonly characters: number; readonly place: string } {
    return { characters: this.#most, place: this.#place };
  }

  #count(text: string): void {
    if (this.#characters === 0) setImmediate(() => this.#paused());
    this.#texts.push(text);
    this.#characters += text.length;
    this.#most = Math.max(this.#most, Math.min(this.#characters, this.#limit));
    if (this.#characters <= this.#limit) return;
    this.#weighed += this.#texts.splice(0).reduce((sum, each) => sum + weightOf(each), 0);
    this.#characters = this.#weighed;
    this.#most = Math.max(this.#most, this.#characters);
    if (this.#characters <= this.#limit || this.#place !== "") return;
    const frames = (new Error().stack ?? "").split("\n").filter((line) => line.includes("/src/"));
    this.#place = frames
      .slice(0, 5)
      .map((line) => line.replace(/^.*\/src\//, "").replace(/\)$/, ""))
      .join(" < ");
  }

  #paused(): void {
    this.#texts.length = 0;
    this.#weighed = 0;
    this.#characters = 0;
  }
}
