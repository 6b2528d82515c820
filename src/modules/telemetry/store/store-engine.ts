import { type Definitions, GROUP_VERSION, HEADER_VERSION } from "./group-format.ts";
import { HotGeneration, type StagedGroup } from "./hot-generation.ts";
import { Registry } from "./registry.ts";
import type { WorkerOptions } from "./store.protocol.ts";
import { FORM_DELETION, FORM_RAW, FORM_ZSTD, type HotRow, TelemetryFile } from "./telemetry-file.ts";

/** Below this a group is hardly smaller compressed. */
const compressBytesMin = 512;

/** What a commit left to do after it was acknowledged. */
export interface CommittedGroup {
  readonly id: number;
  readonly staged: StagedGroup;
}

/** The worker's state: the file, the dictionaries and the hot content. */
export class StoreEngine {
  readonly file: TelemetryFile;
  readonly registry = new Registry();
  hot: HotGeneration;
  /** The generation that is being sealed, older than `hot`. */
  frozen: HotGeneration | null = null;

  constructor(readonly options: WorkerOptions) {
    this.file = new TelemetryFile(options.file);
    this.hot = new HotGeneration(this.registry);
  }

  /** Reads the dictionaries and the hot rows back into memory. */
  recover(): Definitions {
    const definitions = this.file.readDefinitions();
    this.#register(definitions);
    for (const row of this.file.hotRows()) this.#replay(row);
    return definitions;
  }

  /** Generations, oldest first. */
  get generations(): HotGeneration[] {
    return this.frozen === null ? [this.hot] : [this.frozen, this.hot];
  }

  /** One durable transaction. Throws what SQLite throws, and then nothing of the group stays. */
  commit(group: Uint8Array, definitions: Definitions | null): CommittedGroup {
    const staged = this.hot.stage(group);
    try {
      const { form, data } = packed(group);
      const id = this.file.transact(() => {
        if (definitions !== null) this.file.insertDefinitions(definitions);
        return this.file.insertHot(form, data);
      });
      if (definitions !== null) this.#register(definitions);
      return { id, staged };
    } catch (error) {
      this.hot.unstage(staged);
      throw error;
    }
  }

  /** Makes a committed group readable. */
  index({ id, staged }: CommittedGroup): void {
    this.hot.index(staged, id);
  }

  #register(definitions: Definitions): void {
    for (const device of definitions.devices) this.registry.addDevice(device);
    for (const key of definitions.keys) this.registry.addKey(key);
    for (const pattern of definitions.patterns) this.registry.addPattern(pattern);
  }

  #replay(row: HotRow): void {
    if (row.form === FORM_DELETION) return;
    const group = row.form === FORM_ZSTD ? Bun.zstdDecompressSync(row.data) : row.data;
    const version = new DataView(group.buffer, group.byteOffset).getUint32(HEADER_VERSION * 4, true);
    if (version !== GROUP_VERSION)
      throw new Error(`telemetry.db holds a group of the unknown version ${version}.`);
    this.hot.index(this.hot.stage(group), row.id);
  }
}

function packed(group: Uint8Array): { form: number; data: Uint8Array } {
  if (group.byteLength < compressBytesMin) return { form: FORM_RAW, data: group };
  const data = Bun.zstdCompressSync(group, { level: 1 });
  return data.byteLength < group.byteLength * 0.9
    ? { form: FORM_ZSTD, data }
    : { form: FORM_RAW, data: group };
}
