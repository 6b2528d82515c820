import { unavailable } from "../../lib/core/domain-error.ts";
import type { FolderCheck } from "../../platform/files/folder-check.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import { WorkThread } from "../../platform/load/work-thread.ts";
import type { ListedSnapshot, PlaceRequest } from "./place-requests.ts";

/** Time limit of a request, whatever the place does. */
const RESPONSE_MS_MAX = 180_000;
/** Max. waiting requests. */
const WAITING_MAX = 16;
const LANE = "requests";

/** Accesses backup places in a thread of its own, one request after the other. */
export class PlaceThread {
  readonly #thread = new WorkThread<PlaceRequest, unknown>("src/modules/backups/place.worker.ts", {
    interrupted: "backup.interrupted",
    failed: "backup.failed",
  });
  readonly #lanes = new Lanes(1);
  readonly #folders: Pick<FolderCheck, "ensureOutside">;
  #isStopped = false;

  constructor(folders: Pick<FolderCheck, "ensureOutside">) {
    this.#folders = folders;
  }

  /** @throws DomainError the place's error */
  async test(request: Omit<PlaceRequest & { kind: "test" }, "kind">): Promise<void> {
    await this.#send({ kind: "test", ...request });
  }

  /** Returns the stored snapshots, newest first. @throws DomainError the place's error */
  async snapshots(request: Omit<PlaceRequest & { kind: "snapshots" }, "kind">): Promise<ListedSnapshot[]> {
    return (await this.#send({ kind: "snapshots", ...request })) as ListedSnapshot[]; // of `responseOf`
  }

  /** Returns the names of the objects of a snapshot. @throws DomainError the place's error, `not_found` */
  async objects(request: Omit<PlaceRequest & { kind: "objects" }, "kind">): Promise<string[]> {
    return (await this.#send({ kind: "objects", ...request })) as string[]; // of `responseOf`
  }

  /** Returns the bytes of an object as they are stored. @throws DomainError the place's error, `not_found` */
  async object(request: Omit<PlaceRequest & { kind: "object" }, "kind">): Promise<Uint8Array> {
    return (await this.#send({ kind: "object", ...request })) as Uint8Array; // of `responseOf`
  }

  stop(): void {
    this.#isStopped = true;
    this.#thread.stop();
  }

  async #send(request: PlaceRequest): Promise<unknown> {
    if (this.#lanes.waiting(LANE) >= WAITING_MAX) throw unavailable("backup.place_busy");
    // A silent disk would hold each thread that asks it. An object is read after the list of its snapshot.
    const { kind, place } = request;
    if (place.kind === "folder" && kind !== "object") await this.#folders.ensureOutside(place.path);
    return this.#lanes.run(LANE, () => this.#run(request));
  }

  async #run(request: PlaceRequest): Promise<unknown> {
    if (this.#isStopped) throw unavailable("backup.interrupted");
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#thread.stop();
    }, RESPONSE_MS_MAX);
    try {
      return await this.#thread.run(request, () => undefined);
    } catch (error) {
      throw isLate ? unavailable("network_error.no_response_within", { ms: RESPONSE_MS_MAX }) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
