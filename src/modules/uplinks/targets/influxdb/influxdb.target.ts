import { detail } from "../../../../lib/core/domain-error.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import { iso } from "../../../../lib/time/iso-time.ts";
import { bodyText, type HttpResponse, isSuccess } from "../../../../platform/network/keep-alive-http.ts";
import { TargetError } from "../../target.errors.ts";
import type { Batch, DeletionRecord, Target, TargetContext, UplinkRecord } from "../../target.types.ts";
import { conflictIn, FieldNames } from "../field-names.ts";
import { HttpConnection } from "../http-connection.ts";
import { responseError } from "../http-response.ts";
import type { InfluxdbSettings } from "./influxdb.schemas.ts";
import { LineWriter } from "./line-protocol.ts";

const GZIP_LEVEL = 1;
const REASON_CHARACTERS_MAX = 300;
/** Max. conflicting fields renamed per attempt; the rest follows when the batch is sent again. */
const CONFLICTS_MAX = 50;
/** Returns whether all points were stored except those older than the retention, which the server would delete immediately. */
const isBeyondRetention = (text: string): boolean =>
  text.includes("partial write: ") && /(beyond|outside) retention policy/.test(text);
const NOT_FOUND = 404;
const BAD_REQUEST = 400;

/** Returns the server's message; undefined if the response does not come from such a server. */
function messageIn(response: HttpResponse): string | undefined {
  const header = response.headers["x-influxdb-error"];
  if (typeof header === "string") return header;
  try {
    const { error, message } = JSON.parse(bodyText(response));
    if (typeof error === "string") return error;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

function refusal(response: HttpResponse): TargetError {
  const message = messageIn(response);
  const reason =
    message === undefined
      ? detail("delivery_error.status", { status: response.status })
      : excerpt(message, REASON_CHARACTERS_MAX);
  if (response.status === NOT_FOUND)
    return new TargetError("settings", detail("uplink.settings_refused", { reason }));
  return responseError(response.status, reason);
}

const failed = (message: string): TargetError =>
  new TargetError(
    "retry",
    detail("uplink.target_failed", { reason: excerpt(message, REASON_CHARACTERS_MAX) }),
  );

function required(value: string | undefined, field: string): string {
  if (value === undefined) throw new TargetError("settings", detail("uplink.setting_missing", { field }));
  return value;
}

function placeOf(settings: InfluxdbSettings): URLSearchParams {
  if (settings.api === "V2")
    return new URLSearchParams({
      org: required(settings.organization, "organization"),
      bucket: required(settings.bucket, "bucket"),
    });
  return new URLSearchParams({
    db: required(settings.database, "database"),
    ...(settings.retentionPolicy !== undefined && { rp: settings.retentionPolicy }),
  });
}

function authorizationOf({ token, user, password }: InfluxdbSettings): Record<string, string> {
  if (token !== undefined) return { authorization: `Token ${token}` };
  if (user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password ?? ""}`).toString("base64")}` };
}

/** Quotes a string for InfluxQL and the predicates of the second API. */
const quoted = (text: string, quote: string): string =>
  `${quote}${text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`)}${quote}`;

/**
 * Writes rows in the line protocol to InfluxDB 1 and 2, VictoriaMetrics, QuestDB, Telegraf and other servers that accept it.
 *
 * - A row is a point of the measurement (by default the device's type) with the tags `device` (its id), `name` and `site` and the static
 *   tags of the uplink. Numbers are floats, strings and JSON are strings; `field-names.ts` describes the names of fields. NaN and infinities
 *   are omitted.
 * - A repeated point replaces itself, because its series and timestamp are the same. One batch is in flight, so a value written twice at
 *   the gateway keeps the later value. If `name` is a tag, the rows of a renamed device continue in another series.
 * - A value whose type conflicts with the field at the server is written to a separate field, and the batch continues. Values beyond the
 *   database's retention count as accepted. VictoriaMetrics stores about 15 digits of a number and booleans as 1 and 0, but no strings,
 *   which its uplink omits; it removes duplicates with `-dedup.minScrapeInterval=1ms`.
 * - QuestDB and others refuse line breaks in strings, which are replaced by spaces. QuestDB removes duplicates of tables with `DEDUP ENABLE
 *   UPSERT KEYS(timestamp, device)`.
 * - Alarm events are points of a separate measurement, with the tags `alarm` (its type), `severity` and `event` and the fields `active`,
 *   `alarmId`, `eventId`, `status` and `message`. Attributes and devices are skipped.
 * - Deletions are skipped, unless enabled in the settings: then the points of the device in the range are deleted, in all measurements.
 *   Servers with the line protocol cannot delete single fields, so a deletion of some keys is always skipped.
 */
class InfluxdbTarget implements Target {
  readonly inFlightMax = 1;
  readonly #settings: InfluxdbSettings;
  readonly #place: URLSearchParams;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #connection: HttpConnection;
  readonly #names: FieldNames;
  readonly #lines: LineWriter;

  constructor(settings: InfluxdbSettings, context: TargetContext) {
    this.#settings = settings;
    this.#place = placeOf(settings);
    this.#headers = authorizationOf(settings);
    this.#connection = new HttpConnection({ ...settings, context });
    this.#names = new FieldNames(settings.fieldNames === "TYPED");
    this.#lines = new LineWriter({ ...settings, names: this.#names });
  }

  get bytesSent(): number {
    return this.#connection.bytesSent;
  }

  async check(signal: AbortSignal): Promise<void> {
    const { api, database = "" } = this.#settings;
    // Users without permission to create databases can write to existing databases.
    if (api === "V1") await this.#query(`CREATE DATABASE ${quoted(database, '"')}`, signal);
    const response = await this.#post(new TextEncoder().encode("\n"), signal);
    // Some servers refuse a request without a point, after they have checked everything else.
    if (!isSuccess(response.status) && response.status !== BAD_REQUEST) this.#fail(response);
  }

  async send({ records }: Batch, signal: AbortSignal): Promise<void> {
    let start = 0;
    for (const [index, record] of records.entries()) {
      if (record.kind !== "deletion") continue;
      await this.#write(records.slice(start, index), signal);
      await this.#delete(record, signal);
      start = index + 1;
    }
    await this.#write(records.slice(start), signal);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #write(records: readonly UplinkRecord[], signal: AbortSignal): Promise<void> {
    for (let attempt = 0; attempt <= CONFLICTS_MAX; attempt++) {
      this.#encode(records);
      if (this.#lines.length === 0) return;
      const response = await this.#post(this.#lines.take(), signal);
      const outcome = this.#outcomeOf(response);
      if (outcome === "stored") return;
      if (outcome === "line breaks") return this.#writeInOneLine(records, signal);
      if (outcome === "refused") this.#fail(response);
    }
    throw failed("field type conflict");
  }

  /** Returns the outcome for the lines. After `renamed`, they must be written again with other field names. */
  #outcomeOf(response: HttpResponse): "stored" | "renamed" | "line breaks" | "refused" {
    if (isSuccess(response.status)) return "stored";
    const message = messageIn(response) ?? "";
    const conflict = conflictIn(message);
    if (conflict !== undefined) return this.#names.separate(conflict) ? "renamed" : "refused";
    if (isBeyondRetention(message)) return "stored";
    return response.status === BAD_REQUEST && this.#lines.hasLineBreaks ? "line breaks" : "refused";
  }

  /** Tests whether the server refuses line breaks in strings; if so, they are replaced by spaces from now on. */
  async #writeInOneLine(records: readonly UplinkRecord[], signal: AbortSignal): Promise<void> {
    this.#lines.isInOneLine = true;
    try {
      await this.#write(records, signal);
    } catch (error) {
      this.#lines.isInOneLine = false;
      throw error;
    }
  }

  #encode(records: readonly UplinkRecord[]): void {
    const { alarmMeasurement } = this.#settings;
    this.#lines.clear();
    for (const record of records) {
      if (record.kind === "rows") this.#lines.rows(record);
      else if (record.kind === "alarm" && alarmMeasurement !== "")
        this.#lines.alarm(alarmMeasurement, record);
    }
  }

  #post(lines: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<HttpResponse> {
    const { api, gzip } = this.#settings;
    const headers = {
      ...this.#headers,
      "content-type": "text/plain; charset=utf-8",
      ...(gzip && { "content-encoding": "gzip" }),
    };
    const path = `${api === "V2" ? "/api/v2/write" : "/write"}?${this.#place}&precision=ms`;
    return this.#connection.request(
      { path, headers, body: gzip ? Bun.gzipSync(lines, { level: GZIP_LEVEL }) : lines },
      signal,
    );
  }

  async #delete(deletion: DeletionRecord, signal: AbortSignal): Promise<void> {
    const { deletions, deviceTags, api } = this.#settings;
    if (!deletions || deletion.keys !== null || !deviceTags.includes("device")) return;
    await (api === "V1" ? this.#deleteByQuery(deletion, signal) : this.#deleteByPredicate(deletion, signal));
  }

  async #deleteByQuery({ device, from, to }: DeletionRecord, signal: AbortSignal): Promise<void> {
    const isOfDevice = `"device" = ${quoted(device.deviceId, "'")}`;
    const response = await this.#query(
      `DELETE WHERE ${isOfDevice} AND time >= ${from}ms AND time <= ${to}ms`,
      signal,
    );
    if (!isSuccess(response.status)) this.#fail(response);
    // Errors within a query have the status 200.
    const message = /"error":"(.*?)"/.exec(bodyText(response))?.[1];
    if (message !== undefined) throw failed(message);
  }

  async #deleteByPredicate({ device, from, to }: DeletionRecord, signal: AbortSignal): Promise<void> {
    const response = await this.#connection.request(
      {
        path: `/api/v2/delete?${this.#place}`,
        headers: { ...this.#headers, "content-type": "application/json" },
        body: JSON.stringify({
          start: iso(from),
          // Between two milliseconds, so that it does not matter whether the server includes the end.
          stop: new Date(to).toISOString().replace("Z", "5Z"),
          predicate: `device=${quoted(device.deviceId, '"')}`,
        }),
      },
      signal,
    );
    if (!isSuccess(response.status)) this.#fail(response);
  }

  #query(text: string, signal: AbortSignal): Promise<HttpResponse> {
    const headers = { ...this.#headers, "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ q: text }).toString();
    return this.#connection.request({ path: `/query?${this.#place}`, headers, body }, signal);
  }

  #fail(response: HttpResponse): never {
    const error = refusal(response);
    this.#connection.pauseAfter(response, error);
    throw error;
  }
}

export const createInfluxdbTarget = (settings: InfluxdbSettings, context: TargetContext): Target =>
  new InfluxdbTarget(settings, context);
