import { DomainError, detail, type ErrorKind, invalid } from "../../lib/core/domain-error.ts";
import { type Line, type LineFailure, type LinePrecision, LineReader } from "../../lib/json/line-protocol.ts";
import { noteRepeated } from "../../lib/json/sent-json.ts";
import { sampleText } from "../../lib/strings/sample-text.ts";
import type { Text } from "../../lib/texts/text.ts";
import { CLOCK_SET_FROM_MS, HELD_MS_MAX, unitOf } from "../../lib/time/timestamp.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import { invalidDeviceToken } from "../devices/devices.errors.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { IngestService } from "./ingest.service.ts";
import type { IngestDevice } from "./ingest.types.ts";
import { deviceTagOf, type LineRules, valuesOf } from "./line-rules.ts";
import { checkValues } from "./readings.ts";

/** Lines and characters processed before other work runs. */
const SLICE_LINES = 250;
const SLICE_CHARACTERS = 32 * 1024;
/** Max. new devices per slice; creating one takes about as long as storing a hundred lines. */
const SLICE_NEW_CHILDREN = 30;
/** Max. slices waiting for the disk. */
const WAITING_SLICES_MAX = 16;
const CHILDREN_PER_BODY_MAX = 1_000;
const SAMPLE_CHARACTERS = 100;

/** Refusals that only concern one device. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set(["invalid", "too_large", "exhausted", "forbidden"]);

export interface LineBody {
  readonly text: string;
  /** True if invalid UTF-8 was replaced. */
  readonly isLossy: boolean;
  readonly precision: LinePrecision;
  readonly rules: LineRules;
  /** Path of the request. */
  readonly where: string;
}

export interface LineWriteDeps {
  readonly ingest: Pick<IngestService, "readings" | "reject">;
  readonly devices: Pick<DevicesService, "children">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly database: Pick<MainDatabase, "durable">;
  readonly clock: Pick<Clock, "now">;
}

/** Line with its values and child device. */
interface Point {
  readonly line: Line;
  readonly child: string | undefined;
  readonly reading: Reading;
}

/** First refused line. */
interface Refused {
  readonly line: number;
  readonly start: number;
  readonly reason: Text;
}

/** Stores the lines of one body in slices, so that it does not block others. */
export class LineWrite {
  readonly #deps: LineWriteDeps;
  readonly #sender: IngestDevice;
  readonly #body: LineBody;
  readonly #now: number;
  /** Children by their names in the lines. */
  readonly #children = new Map<string, IngestDevice | DomainError>();
  /** Names in the current slice that are not in `#children`. */
  readonly #unknown = new Set<string>();
  readonly #waiting: Promise<unknown>[] = [];
  #refused = 0;
  #first: Refused | undefined;
  /** Names of fields that occur more than once in a line. */
  readonly #repeated = new Set<string>();

  constructor(deps: LineWriteDeps, sender: IngestDevice, body: LineBody) {
    this.#deps = deps;
    this.#sender = sender;
    this.#body = body;
    this.#now = deps.clock.now();
  }

  /**
   * Resolves once everything is on disk.
   * @throws DomainError `line_protocol.partial` for refused lines; all others are then on disk. After any other error the state is unknown, and the
   * body must be sent again
   */
  async run(): Promise<void> {
    const reader = new LineReader(this.#body.text, this.#body.precision);
    try {
      while (await this.#slice(reader)) {
        await workShare.next();
        if (this.#waiting.length >= WAITING_SLICES_MAX) await this.#waiting.shift();
        if (this.#sender.revoked) throw invalidDeviceToken();
      }
      await Promise.all(this.#waiting);
      if (this.#children.size > 0) await this.#deps.database.durable();
    } finally {
      for (const commit of this.#waiting) commit.catch(() => undefined); // its error was thrown, or a worse one
    }
    noteRepeated([...this.#repeated], ({ code, params }) =>
      this.#deps.ingest.reject(this.#sender, { source: "http", where: this.#body.where, code, params }),
    );
    if (this.#first !== undefined) throw this.#refusal(this.#first);
  }

  /** Processes a slice. Returns false at the end. */
  async #slice(reader: LineReader): Promise<boolean> {
    const end = reader.position + SLICE_CHARACTERS;
    const points: Point[] = [];
    let hasMore = true;
    for (let lines = 0; lines < SLICE_LINES && reader.position < end; lines++) {
      if (this.#unknown.size >= SLICE_NEW_CHILDREN) break;
      const line = reader.next();
      hasMore = line !== undefined;
      if (line === undefined) break;
      const point = this.#read(line, reader.position);
      if (point !== undefined) points.push(point);
    }
    await this.#store(points);
    return hasMore;
  }

  #read(line: Line | LineFailure, end: number): Point | undefined {
    if (this.#body.isLossy && this.#body.text.slice(line.start, end).includes("\ufffd"))
      return this.#refuse(line, detail("line.not_utf8"));
    if ("reason" in line) return this.#refuse(line, line.reason);
    const { ts = this.#now } = line;
    if (!(ts >= CLOCK_SET_FROM_MS && ts <= this.#now + HELD_MS_MAX))
      return this.#refuse(line, this.#rangeFault(line));
    for (const name of line.repeated) this.#repeated.add(name);
    const { rules } = this.#body;
    const tag = deviceTagOf(line, rules);
    try {
      const values = checkValues(valuesOf(line, rules, tag?.[0]));
      if (values === undefined) return undefined;
      const child = this.#sender.role === "GATEWAY" ? tag?.[1] : undefined;
      if (child !== undefined) this.#note(child);
      return { line, child, reading: { ts, values } };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return this.#refuse(line, error);
    }
  }

  /** Returns an error with the unit in which the timestamp would be valid, because a wrong precision is the most frequent mistake. */
  #rangeFault({ stamp }: Line): Text {
    const { precision } = this.#body;
    const unit = unitOf(Number(stamp), this.#now + HELD_MS_MAX);
    if (unit === undefined || unit === precision) return detail("line.timestamp_range");
    return detail("line.timestamp_unit", { stamp, unit, precision });
  }

  /** Stores the points device by device: pipelines and alarm rules may take long for each. */
  async #store(points: readonly Point[]): Promise<void> {
    this.#findChildren();
    const groups = Map.groupBy(points, ({ child }) => child);
    for (const [name, group] of groups) {
      const later = workShare.pause();
      if (later !== undefined) await later;
      const device = name === undefined ? this.#sender : this.#children.get(name);
      if (device === undefined || device instanceof DomainError) {
        if (device !== undefined) for (const { line } of group) this.#refuse(line, device);
        continue;
      }
      this.#send(device, group);
    }
  }

  #send(device: IngestDevice, group: readonly Point[]): void {
    try {
      this.#waiting.push(
        this.#deps.ingest.readings(
          device,
          group.map(({ reading }) => reading),
        ),
      );
    } catch (error) {
      if (!(error instanceof DomainError) || !REFUSALS.has(error.kind)) throw error;
      for (const { line } of group) this.#refuse(line, error);
      const { code, params } = error;
      this.#deps.ingest.reject(device, { source: "http", where: this.#body.where, code, params });
    }
  }

  #note(name: string): void {
    const child = this.#children.get(name);
    if (child instanceof DomainError || child?.revoked === false) return;
    if (child === undefined && this.#children.size + this.#unknown.size >= CHILDREN_PER_BODY_MAX)
      throw invalid("line_protocol.too_many_children", { max: CHILDREN_PER_BODY_MAX });
    this.#unknown.add(name);
  }

  /** Finds or creates the children named in the slice. */
  #findChildren(): void {
    if (this.#unknown.size === 0) return;
    const refs = [...this.#unknown].map((name) => ({ name }));
    this.#unknown.clear();
    const found = this.#deps.devices.children.ensureChildren(this.#sender, refs);
    for (const [index, { name }] of refs.entries()) {
      const child = found[index];
      const device = typeof child === "string" ? this.#deps.directory.find(child) : child;
      this.#children.set(name, device ?? invalidDeviceToken()); // deleted in the same moment
    }
  }

  #refuse({ number, start }: Line | LineFailure, reason: Text): undefined {
    this.#refused++;
    this.#first ??= { line: number, start, reason };
  }

  /** Lists the refused lines on the sender, as one entry. */
  #refusal({ line, start, reason }: Refused): DomainError {
    const sample = this.#body.text.slice(start, start + SAMPLE_CHARACTERS).split("\n", 1)[0] ?? "";
    const { code, params } = reason;
    const error = invalid("line_protocol.partial", {
      line,
      sample: sampleText(Buffer.from(sample)),
      reason: { code, params },
      count: this.#refused,
    });
    this.#deps.ingest.reject(this.#sender, {
      source: "http",
      where: this.#body.where,
      code: error.code,
      params: error.params,
      sample: Buffer.from(sample),
    });
    return error;
  }
}
