import type { FeedRows, FeedStep, KnownDefinitions } from "./feeds.types.ts";
import { RowBuilder } from "./row-builder.ts";
import type { Deletion } from "./store/deletion.types.ts";
import type { Definitions } from "./store/group-format.ts";
import { GroupReader } from "./store/group-reader.ts";
import { FORM_DELETION } from "./store/hot-log.ts";
import { unpackGroup } from "./store/hot-packing.ts";

/** Values of one step, about: a group is never split. */
const STEP_POINTS = 20_000;

/** Decodes the rows of a feed for a reader on another thread. It keeps the definitions that it was given. */
export class FeedDecoder {
  readonly #tenantId: string;
  /** Returns whether the reader wants anything of a device. */
  readonly #isWanted: (deviceId: string) => boolean;
  /** Device number → id, of the devices of the tenant. */
  readonly #devices = new Map<number, string>();
  readonly #keyNames: string[] = [];
  readonly #patterns: (readonly number[])[] = [];
  #deviceEnd = 0;

  constructor(tenantId: string, isWanted: (deviceId: string) => boolean) {
    this.#tenantId = tenantId;
    this.#isWanted = isWanted;
  }

  get known(): KnownDefinitions {
    return { devices: this.#deviceEnd, keys: this.#keyNames.length, patterns: this.#patterns.length };
  }

  define({ devices, keys, patterns }: Definitions): void {
    for (const { no, tenantId, deviceId } of devices) {
      this.#deviceEnd = Math.max(this.#deviceEnd, no + 1);
      if (tenantId === this.#tenantId) this.#devices.set(no, deviceId);
    }
    for (const { no, name } of keys) this.#keyNames[no] = name;
    for (const { no, columns } of patterns) this.#patterns[no] = columns;
  }

  /** Yields the tenant's content of the rows, in order. The last step has the position `end`, even if it is empty. */
  *decode({ rows, end }: Pick<FeedRows, "rows" | "end">): Generator<FeedStep> {
    /** Keyed by the number of the device. */
    let builders = new Map<number, RowBuilder>();
    let points = 0;
    const flush = (position: number): FeedStep => {
      const devices = [...builders.values()].map((builder) => builder.build(this.#keyNames));
      const step = { kind: "rows", devices, points, position } as const;
      builders = new Map();
      points = 0;
      return step;
    };
    for (const { id, form, data } of rows) {
      if (form === FORM_DELETION) {
        const deletion = this.#deletion(data);
        if (deletion === undefined) continue;
        if (points > 0) yield flush(id - 1);
        yield { ...deletion, position: id };
        continue;
      }
      points += this.#add(builders, form, data);
      if (points >= STEP_POINTS) yield flush(id);
    }
    yield flush(end);
  }

  #add(builders: Map<number, RowBuilder>, form: number, data: Uint8Array): number {
    let points = 0;
    let reader: GroupReader;
    try {
      reader = new GroupReader(unpackGroup(form, data));
    } catch {
      return 0; // damaged on the disk: the store names it
    }
    reader.visit(
      (pattern) => this.#patterns[pattern],
      (record) => {
        let builder = builders.get(record.device);
        if (builder === undefined) {
          const deviceId = this.#devices.get(record.device);
          if (deviceId === undefined || !this.#isWanted(deviceId)) return;
          builder = new RowBuilder(deviceId);
          builders.set(record.device, builder);
        }
        points += builder.add(record);
      },
    );
    return points;
  }

  #deletion(data: Uint8Array) {
    const { tenantId, deviceId, keys, from, to, drop, isRetention }: Deletion = JSON.parse(
      new TextDecoder().decode(data),
    );
    if (tenantId !== this.#tenantId || isRetention) return undefined;
    const names = keys?.map((key) => this.#keyNames[key] ?? "") ?? null;
    return { kind: "deletion", deviceId, keys: names, from, to, drop } as const;
  }
}
