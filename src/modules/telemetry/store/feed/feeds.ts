import { notFound } from "../../../../lib/core/domain-error.ts";
import { nextUp } from "../../../../lib/data/next-up.ts";
import { pointsOf } from "../hot/group-format.ts";
import { GroupReader } from "../hot/group-reader.ts";
import type { HotGeneration } from "../hot/hot-generation.ts";
import { FORM_DELETION, FORM_RAW, type HotRow } from "../hot/hot-log.ts";
import { unpackGroup } from "../hot/hot-packing.ts";
import type { Registry } from "../registry.ts";
import type { TelemetryFile } from "../telemetry-file.ts";
import type { Deletion } from "../upkeep/deletion.types.ts";
import type { OpenDeletions } from "../upkeep/open-deletions.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import type {
  ConfirmedRange,
  FeedBacklog,
  FeedConfirmation,
  FeedDeletion,
  FeedRange,
  FeedRows,
  FeedStart,
  KnownDefinitions,
} from "./feed.types.ts";
import { type FeedPosition, FeedPositions } from "./feed-positions.ts";

/** Closed range of timestamps. */
interface Span {
  from: number;
  to: number;
}

/** Min. gap between two ranges in ms, so that one late value does not cause years to be resent. */
export const SPAN_GAP_MS = 3_600_000;
/** Max. ranges of one device per sealing; a value outside them extends the nearest one. */
const SPANS_MAX = 16;

/** Collects the time ranges in which each device has values. */
export class FeedSpans {
  /** Device number → its ranges, unordered. */
  readonly devices = new Map<number, Span[]>();

  add(device: number, ts: number): void {
    const spans = this.devices.get(device);
    if (spans === undefined) {
      this.devices.set(device, [{ from: ts, to: ts }]);
      return;
    }
    const near = spans.findLast(({ from, to }) => ts >= from - SPAN_GAP_MS && ts <= to + SPAN_GAP_MS);
    if (near === undefined && spans.length < SPANS_MAX) spans.push({ from: ts, to: ts });
    else extend(near ?? nearest(spans, ts), ts);
  }
}

const distance = ({ from, to }: Span, ts: number): number => Math.max(from - ts, ts - to);

const nearest = (spans: readonly Span[], ts: number): Span =>
  spans.reduce((best, span) => (distance(span, ts) < distance(best, ts) ? span : best));

function extend(span: Span, ts: number): void {
  if (ts < span.from) span.from = ts;
  if (ts > span.to) span.to = ts;
}

/** Max. rows per response. */
const ROWS_MAX = 1_024;
/** Ranges per transaction. */
const RANGES_PER_WRITE = 256;
/** Hot rows read per step of a sealing. */
const ROWS_PER_STEP = 64;
/** Oldest time that a Date can represent. A range has a start, so that it can be read backwards. */
const OLDEST_MS = -8.64e15;

interface Feed extends FeedPosition {
  readonly id: string;
  readonly tenantId: string;
}

interface FeedRowOfFile {
  no: number;
  id: string;
  tenant: string;
  position: number;
}

interface RangeRow {
  device: number;
  from_ts: number;
  to_ts: number;
  seq: number;
}

/** Readers that follow the store, with their confirmed positions and unread ranges. */
export class Feeds {
  readonly #file: TelemetryFile;
  readonly #registry: Registry;
  readonly #openDeletions: Pick<OpenDeletions, "has">;
  readonly #positions: FeedPositions;
  /** Feeds by id. */
  readonly #feeds = new Map<string, Feed>();
  /** Highest `seq` of all ranges. */
  #newestSeq = 0;

  constructor(file: TelemetryFile, registry: Registry, openDeletions: Pick<OpenDeletions, "has">) {
    this.#file = file;
    this.#registry = registry;
    this.#openDeletions = openDeletions;
    this.#positions = new FeedPositions(file);
  }

  /** Loads the positions at startup. */
  load(): void {
    for (const { no, id, tenant, position } of this.#file.db
      .query<FeedRowOfFile, []>("SELECT no, id, tenant, position FROM feed")
      .all())
      this.#feeds.set(id, { no, id, tenantId: tenant, position, persisted: position });
    this.#newestSeq =
      this.#file.db.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM feed_range").get()?.seq ??
      0;
  }

  /** Opens a feed; does nothing if it is already open. */
  *open(id: string, tenantId: string, start: FeedStart): Steps<null> {
    if (this.#feeds.has(id)) return null;
    const position = this.#file.log.lastId;
    const feed = this.#file.transact(() => {
      const { lastInsertRowid } = this.#file.db
        .query("INSERT INTO feed (id, tenant, position) VALUES (?, ?, ?)")
        .run(id, tenantId, position);
      return { no: Number(lastInsertRowid), id, tenantId, position, persisted: position };
    });
    this.#feeds.set(id, feed);
    if (start === "beginning")
      yield* this.resend(id, { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY });
    return null;
  }

  keepOnly(ids: readonly string[]): void {
    for (const id of [...this.#feeds.keys()]) if (!ids.includes(id)) this.close(id);
  }

  closeOf(tenantId: string): void {
    for (const feed of [...this.#feeds.values()]) if (feed.tenantId === tenantId) this.close(feed.id);
  }

  close(id: string): void {
    const feed = this.#feeds.get(id);
    if (feed === undefined) return;
    this.#feeds.delete(id);
    this.#file.transact(() => {
      for (const table of ["feed_range", "feed_deletion"])
        this.#file.db.query(`DELETE FROM ${table} WHERE feed = ?`).run(feed.no);
      this.#file.db.query("DELETE FROM feed WHERE no = ?").run(feed.no);
    });
  }

  /** Adds the stored values of a closed range to the backlog again. */
  *resend(id: string, { from, to }: Span): Steps<null> {
    const feed = this.#get(id);
    let batch: [number, Span][] = [];
    for (const device of [...this.#registry.devices.values()]) {
      if (device.tenantId !== feed.tenantId) continue;
      let newest = Number.NEGATIVE_INFINITY;
      for (const series of device.series.values()) newest = Math.max(newest, series.ts);
      const end = Math.min(to, newest);
      if (end < from) continue;
      batch.push([device.no, { from: Math.max(from, OLDEST_MS), to: end }]);
      if (batch.length < RANGES_PER_WRITE) continue;
      this.#writeRanges(feed, batch);
      batch = [];
      yield;
    }
    this.#writeRanges(feed, batch);
    return null;
  }

  /**
   * Returns the rows after the hot row `after`. They end at a deletion that was not yet applied to the blocks: history read after it must not
   * contain the deleted values.
   */
  read(id: string, args: { after: number; known: KnownDefinitions; bytesMax: number }): FeedRows {
    const feed = this.#get(id);
    const definitions = this.#registry.definitionsSince(args.known);
    const after = Math.max(args.after, feed.position);
    const deletions = this.#deletionsOf(feed);
    const hasBacklog =
      this.#file.db.query("SELECT 1 FROM feed_range WHERE feed = ? LIMIT 1").get(feed.no) !== null;
    if (deletions.length > 0)
      return { rows: [], definitions, deletions, end: after, isAtEnd: false, hasBacklog };
    const rows: HotRow[] = [];
    let bytes = 0;
    let last = this.#file.log.lastId;
    for (const row of this.#file.log.rowsBehind(after, last)) {
      if (this.#openDeletions.has(row.id)) {
        last = row.id - 1;
        break;
      }
      // A copy: a view would keep the whole read window alive.
      rows.push({ id: row.id, form: row.form, data: row.data.slice() });
      bytes += row.data.byteLength;
      if (bytes >= args.bytesMax || rows.length === ROWS_MAX) break;
    }
    const end = rows[rows.length - 1]?.id ?? Math.max(after, last);
    return { rows, definitions, deletions, end, isAtEnd: end >= this.#file.log.lastId, hasBacklog };
  }

  /** Returns the ranges that were sealed before they were confirmed. */
  backlog(id: string, args: { known: KnownDefinitions; limit: number; newestFirst: boolean }): FeedBacklog {
    const feed = this.#get(id);
    const order = args.newestFirst ? "to_ts DESC" : "from_ts";
    const rows = this.#file.db
      .query<RangeRow, [number, number]>(
        `SELECT device, from_ts, to_ts, seq FROM feed_range WHERE feed = ? ORDER BY ${order} LIMIT ?`,
      )
      .all(feed.no, args.limit);
    const all = this.#file.db
      .query<{ count: number; oldest: number | null }, [number]>(
        "SELECT count(*) AS count, min(from_ts) AS oldest FROM feed_range WHERE feed = ?",
      )
      .get(feed.no);
    const ranges = rows.flatMap(({ device, from_ts: from, to_ts: to, seq }): FeedRange[] => {
      const deviceId = this.#registry.devices.get(device)?.deviceId;
      return deviceId === undefined ? [] : [{ device, deviceId, from, to, seq }];
    });
    if (ranges.length < rows.length) this.#forgetDeleted(feed);
    return {
      ranges,
      definitions: this.#registry.definitionsSince(args.known),
      rangeCount: all?.count ?? 0,
      oldestTs: all?.oldest ?? null,
    };
  }

  /** Returns the approximate number of unconfirmed values. */
  *countPoints(id: string): Steps<number> {
    const feed = this.#get(id);
    let points = 0;
    const ranges = this.#file.db
      .query<RangeRow, [number]>("SELECT device, from_ts, to_ts, seq FROM feed_range WHERE feed = ?")
      .all(feed.no);
    const inBlocks = this.#file.db.query<{ points: number | null }, [number, number, number]>(
      "SELECT sum(points) AS points FROM block WHERE device = ? AND family >= 0 AND min_ts <= ? AND max_ts >= ?",
    );
    for (const { device, from_ts, to_ts } of ranges) {
      points += inBlocks.get(device, to_ts, from_ts)?.points ?? 0;
      yield;
    }
    const { log } = this.#file;
    let rows = 0;
    for (const { form, data } of log.rowsBehind(feed.position, log.lastId)) {
      if (++rows > ROWS_MAX) break;
      if (form !== FORM_DELETION) points += pointsOf(form === FORM_RAW ? data : unpackGroup(form, data));
      yield;
    }
    return points;
  }

  confirm({ id, position, ranges, deletions }: FeedConfirmation): void {
    const feed = this.#feeds.get(id);
    if (feed === undefined) return;
    if (position !== undefined && position > feed.position) feed.position = position;
    const isDue = this.#positions.areDue();
    const hasSent = position !== undefined && this.#hasDeletionUpTo(feed, position);
    if (ranges === undefined && deletions === undefined && !isDue && !hasSent) return;
    this.#positions.write(this.#feeds.values(), () => {
      for (const range of ranges ?? []) this.#shorten(feed, range);
      // They were sealed after they were read, and have arrived among the rows. Sent again they would remove values that were written after them.
      if (hasSent)
        this.#file.db.query("DELETE FROM feed_deletion WHERE feed = ? AND id <= ?").run(feed.no, position);
      for (const deletion of deletions ?? [])
        this.#file.db.query("DELETE FROM feed_deletion WHERE feed = ? AND id = ?").run(feed.no, deletion);
    });
  }

  /** Persists the positions before the file is closed. */
  persist(): void {
    this.#positions.write(this.#feeds.values());
  }

  /** Converts unconfirmed rows of a sealed generation to ranges and deletions, before the rows are removed. */
  *keepUnread(generation: HotGeneration): Steps<void> {
    for (const feed of this.#feeds.values()) {
      if (feed.position >= generation.lastId) continue;
      const spans = new FeedSpans();
      const deletions: HotRow[] = [];
      const after = Math.max(feed.position, generation.firstId - 1);
      for (const row of this.#file.log.rowsBehind(after, generation.lastId)) {
        if (row.form === FORM_DELETION) deletions.push({ ...row, data: row.data.slice() });
        else this.#addSpans(row, feed, spans);
        if (row.id % ROWS_PER_STEP === 0) yield;
      }
      yield;
      yield* this.#keep(feed, { spans, deletions, lastId: generation.lastId });
    }
  }

  *#keep(
    feed: Feed,
    { spans, deletions, lastId }: { spans: FeedSpans; deletions: readonly HotRow[]; lastId: number },
  ): Steps<void> {
    let batch: [number, Span][] = [];
    for (const [device, list] of spans.devices) {
      for (const span of list) batch.push([device, span]);
      if (batch.length < RANGES_PER_WRITE) continue;
      this.#writeRanges(feed, batch);
      batch = [];
      yield;
    }
    this.#writeRanges(feed, batch);
    const { position } = feed;
    // Confirmations may have come meanwhile; values that they cover are sent twice.
    feed.position = Math.max(position, lastId);
    const keepDeletions = () => {
      for (const { id, data } of deletions) {
        const deletion: Deletion = JSON.parse(new TextDecoder().decode(data));
        // A deletion that was confirmed meanwhile must not be repeated after values that were written after it.
        if (id > position && deletion.tenantId === feed.tenantId && !deletion.isRetention)
          this.#file.db
            .query("INSERT OR REPLACE INTO feed_deletion (feed, id, data) VALUES (?, ?, ?)")
            .run(feed.no, id, JSON.stringify(deletion));
      }
    };
    try {
      this.#positions.write([feed], keepDeletions);
    } catch (error) {
      // The disk may be full. The sealing is tried again, and must find what was not kept.
      feed.position = position;
      throw error;
    }
  }

  #addSpans(row: HotRow, { tenantId }: Feed, spans: FeedSpans): void {
    const { patterns, devices } = this.#registry;
    try {
      new GroupReader(unpackGroup(row.form, row.data)).visit(
        (pattern) => patterns[pattern],
        (record) => {
          if (devices.get(record.device)?.tenantId === tenantId) spans.add(record.device, record.ts);
        },
      );
    } catch {
      // A damaged row holds nothing that could be sent. The start names it.
    }
  }

  /** Writes ranges under a new number, so that the confirmation of a range in flight does not cover values added since. */
  #writeRanges(feed: Feed, ranges: readonly (readonly [number, Span])[]): void {
    if (ranges.length === 0) return;
    const seq = ++this.#newestSeq;
    const { db } = this.#file;
    const near = db.query<RangeRow, [number, number, number, number]>(
      "SELECT device, from_ts, to_ts, seq FROM feed_range WHERE feed = ? AND device = ? AND from_ts <= ? AND to_ts >= ?",
    );
    const remove = db.query("DELETE FROM feed_range WHERE feed = ? AND device = ? AND from_ts = ?");
    const insert = db.query(
      "INSERT INTO feed_range (feed, device, from_ts, to_ts, seq) VALUES (?, ?, ?, ?, ?)",
    );
    this.#file.transactLazily(() => {
      for (const [device, span] of ranges) {
        let { from, to } = span;
        for (const old of near.all(feed.no, device, to + SPAN_GAP_MS, from - SPAN_GAP_MS)) {
          from = Math.min(from, old.from_ts);
          to = Math.max(to, old.to_ts);
          remove.run(feed.no, device, old.from_ts);
        }
        insert.run(feed.no, device, from, to, seq);
      }
    });
  }

  /** Shortens a confirmed range, unless values were added meanwhile: they may be in the part that was read. */
  #shorten(feed: Feed, range: ConfirmedRange): void {
    const { device, from, to, seq } = range;
    const [nextFrom, nextTo] = "until" in range ? [nextUp(range.until), to] : [from, -nextUp(-range.since)];
    const { changes } = this.#file.db
      .query("DELETE FROM feed_range WHERE feed = ? AND device = ? AND from_ts = ? AND seq = ?")
      .run(feed.no, device, from, seq);
    if (changes > 0 && nextFrom <= nextTo)
      this.#file.db
        .query("INSERT INTO feed_range (feed, device, from_ts, to_ts, seq) VALUES (?, ?, ?, ?, ?)")
        .run(feed.no, device, nextFrom, nextTo, seq);
  }

  #deletionsOf({ no }: Feed): FeedDeletion[] {
    const rows = this.#file.db
      .query<{ id: number; data: string }, [number]>(
        "SELECT id, data FROM feed_deletion WHERE feed = ? ORDER BY id LIMIT 100",
      )
      .all(no);
    return rows.map(({ id, data }) => {
      const { deviceId, keys, from, to, drop }: Deletion = JSON.parse(data);
      const names = keys?.map((key) => this.#registry.keyNames[key] ?? "") ?? null;
      return { id, deviceId, keys: names, from, to, drop };
    });
  }

  #hasDeletionUpTo({ no }: Feed, position: number): boolean {
    const { db } = this.#file;
    return (
      db.query("SELECT 1 FROM feed_deletion WHERE feed = ? AND id <= ? LIMIT 1").get(no, position) !== null
    );
  }

  /** Removes the ranges of deleted devices. */
  #forgetDeleted({ no }: Feed): void {
    this.#file.transactLazily(() =>
      this.#file.db
        .query("DELETE FROM feed_range WHERE feed = ? AND device NOT IN (SELECT no FROM device)")
        .run(no),
    );
  }

  #get(id: string): Feed {
    const feed = this.#feeds.get(id);
    if (feed === undefined) throw notFound("telemetry.feed_unknown");
    return feed;
  }
}
