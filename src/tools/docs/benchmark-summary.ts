import { join } from "node:path";

/** Page of benchmarks, whose summary is generated from the rows of its tables. */

export const benchmarksFile = join(import.meta.dir, "../../../docs/benchmarks.md");

/** Frequent questions of readers, and the beginning of the row with the answer. */
const ROWS: ReadonlyArray<readonly [question: string, measure: string, ratioTo?: string]> = [
  ["MQTT, 100 connections: stored and acknowledged messages/s", "QoS 1, 100 connections, window 20, 3 keys"],
  ["MQTT, 1,000 connections, one message each: messages/s", "QoS 1, 1,000 connections, window 1"],
  ["MQTT, one connection: time to the acknowledgement", "QoS 1, 1 connection, window 1", "one fsync"],
  ["HTTP, 64 clients: requests/s", "HTTP, 64 clients, 1 message of 3 keys"],
  ["topics, 1 publisher and 100 subscribers: messages/s", "1 publisher, 100 subscribers, QoS 1"],
  ["bytes per value on the disk, factory", "bytes per point on disk, all in: factory"],
  ["bytes per value on the disk, mixed data", "bytes per point on disk, all in: NAB"],
  ["bytes written per value, one message per commit", "bytes written to the disk per point, one message"],
  ["bytes written per value, commit window 1 s", "bytes written to the disk per point, 333 messages"],
  [
    "chart of a series over a year at 10 s, by a store call without HTTP, InfluxDB by HTTP",
    "1 series, a year at 10 s (3,153,600 points), avg",
  ],
  ["chart of a device over a day, by HTTP", "1 device, 1 day at 10 s"],
  ["charts of 50 devices over 30 days, by HTTP", "50 devices, 30 days at 10 s"],
  ["start until ready", "start to ready, compiled binary"],
  ["memory when idle", "resident memory, compiled binary, idle"],
  ["memory with 10,000 connected devices", "resident memory, 10,000 connected devices"],
  [
    "5 pipelines and 20 alarm rules on each device: messages/s",
    "QoS 1, 100 connections, window 20, 5 active pipelines of 5 steps on every message and 20",
  ],
  ["history to an HTTP uplink: values/s", "history of 30,000,000 points to an HTTP receiver, gzip"],
];

const BEGIN = "<!-- summary -->";
const END = "<!-- /summary -->";

/** Removes remarks from a cell. */
const brief = (cell = ""): string =>
  cell
    .replaceAll(/ \([^()]*(?:\([^()]*\)[^()]*)*\)/g, "")
    .replace(/[,;] (?:p99|one write|SQLite rows|data files).*$/, "")
    .replace(", data files alone", "");

function summaryRow(text: string, [question, measure, ratioTo]: (typeof ROWS)[number]): string {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`| ${measure}`));
  if (line === undefined) throw new Error(`docs/benchmarks.md has no row that begins with “${measure}”`);
  const [, value, peer, ratio, goal, met] = line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
  const compared =
    peer === "–" ? "–" : `${brief(peer)} (${ratio}${ratioTo === undefined ? "" : ` ${ratioTo}`})`;
  return `| ${question} | ${brief(value)} | ${compared} | ${goal} | ${met} |`;
}

function summaryOf(text: string): string {
  const goals = [...text.matchAll(/^\|.*\| (yes|\*\*no\*\*) \|$/gm)].map(([, met]) => met);
  const met = goals.filter((result) => result === "yes").length;
  const table = ROWS.map((row) => summaryRow(text, row)).join("\n");
  return `${BEGIN}

| what | Lineside | peer, same run (ratio) | goal | met |
|---|---|---|---|---|
${table}

The tables below have ${goals.length} measurements with a goal: ${met} met, ${goals.length - met} missed. [Goals that are not reached](#goals-that-are-not-reached) says why.

${END}`;
}

/** Returns the page with a summary of its own tables. */
export async function renderBenchmarks(): Promise<string> {
  const text = await Bun.file(benchmarksFile).text();
  const start = text.indexOf(BEGIN);
  const end = text.indexOf(END) + END.length;
  const rest = text.slice(end);
  return text.slice(0, start) + summaryOf(rest) + rest;
}
