import { unavailable } from "../../lib/core/domain-error.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import { WorkThread } from "../../platform/load/work-thread.ts";
import type { ListedSnapshot, PlaceQuestion } from "./place-questions.ts";

/** Time limit of a question, whatever the place does. */
const RESPONSE_MS_MAX = 180_000;
/** Max. questions that wait. */
const WAITING_MAX = 16;
const LANE = "questions";

/** Asks backup places on a thread of its own, one question after the other. */
export class PlaceThread {
  readonly #thread = new WorkThread<PlaceQuestion, unknown>("src/modules/backups/place.worker.ts", {
    interrupted: "backup.interrupted",
    failed: "backup.failed",
  });
  readonly #lanes = new Lanes(1);
  #isStopped = false;

  /** @throws DomainError the place's error */
  async test(question: Omit<PlaceQuestion & { kind: "test" }, "kind">): Promise<void> {
    await this.#ask({ kind: "test", ...question });
  }

  /** Returns the stored snapshots, newest first. @throws DomainError the place's error */
  async snapshots(question: Omit<PlaceQuestion & { kind: "snapshots" }, "kind">): Promise<ListedSnapshot[]> {
    return (await this.#ask({ kind: "snapshots", ...question })) as ListedSnapshot[]; // of `responseOf`
  }

  /** Returns the names of the objects of a snapshot. @throws DomainError the place's error, `not_found` */
  async objects(question: Omit<PlaceQuestion & { kind: "objects" }, "kind">): Promise<string[]> {
    return (await this.#ask({ kind: "objects", ...question })) as string[]; // of `responseOf`
  }

  stop(): void {
    this.#isStopped = true;
    this.#thread.stop();
  }

  async #ask(question: PlaceQuestion): Promise<unknown> {
    if (this.#lanes.waiting(LANE) >= WAITING_MAX) throw unavailable("backup.place_busy");
    return this.#lanes.run(LANE, () => this.#run(question));
  }

  async #run(question: PlaceQuestion): Promise<unknown> {
    if (this.#isStopped) throw unavailable("backup.interrupted");
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#thread.stop();
    }, RESPONSE_MS_MAX);
    try {
      return await this.#thread.run(question, () => undefined);
    } catch (error) {
      throw isLate ? unavailable("network_error.no_response_within", { ms: RESPONSE_MS_MAX }) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
