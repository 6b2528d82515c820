import { arch, cpus, freemem, platform, release, totalmem, uptime } from "node:os";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { Config } from "../../platform/config/config.ts";
import { type ConfigKey, configKeys, type KeyDefinition } from "../../platform/config/config-keys.ts";
import type { Health } from "../../platform/core/health.ts";
import { recentLines } from "../../platform/core/log.ts";
import type { Metrics } from "../../platform/core/metrics.ts";
import type { SlowOperations } from "../../platform/core/slow-operations.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { DataCheck } from "./data-check.ts";

const HIDDEN = "(hidden)";

/** Returns the settings that differ from their defaults, without secrets and values that may contain one. */
export function shownSettings(config: Config): Record<string, unknown> {
  const keys = Object.entries(configKeys) as [ConfigKey, KeyDefinition][];
  const changed = keys.filter(([key, definition]) => config[key] !== definition.default);
  return Object.fromEntries(
    changed.map(([key, { secret }]) => [key, secret === true ? HIDDEN : withoutPassword(config[key])]),
  );
}

/** Removes user and password from a URL, such as a mail server's. */
const withoutPassword = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/\/\/[^/\s]*@/, `//${HIDDEN}@`) : value;

export const describeMachine = (build: { version: string; commit: string }) => ({
  lineside: build.version,
  commit: build.commit,
  bun: Bun.version,
  system: `${platform()} ${release()} ${arch()}`,
  processors: cpus().length,
  memoryMb: Math.round(totalmem() / 2 ** 20),
  memoryFreeMb: Math.round(freemem() / 2 ** 20),
  machineUptimeSeconds: Math.round(uptime()),
});

export interface BundleSources {
  readonly build: { readonly version: string; readonly commit: string };
  readonly config: Config;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly slow: SlowOperations;
  readonly check: DataCheck;
  readonly store: Pick<TelemetryStore, "stats">;
}

const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Packs files into a tar archive, compressed with gzip. */
export const packFiles = (files: Readonly<Record<string, string>>): Promise<Blob> =>
  new Bun.Archive({ ...files }, { compress: "gzip" }).blob();

/** Returns the files of a support bundle by name. They contain no secrets and no telemetry, but names and addresses from the log. */
export async function collectBundle(sources: BundleSources): Promise<Record<string, string>> {
  const { build, config, health, metrics, slow, check, store } = sources;
  const lines = recentLines.list().reverse();
  const { run, damage } = check;
  return {
    "gateway.json": toJson({
      ...describeMachine(build),
      processUptimeSeconds: Math.round(process.uptime()),
      memory: process.memoryUsage(),
      createdAt: new Date().toISOString(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    }),
    "settings.json": toJson(shownSettings(config)),
    "health.json": toJson(health.problems().map((problem) => ({ ...problem, message: inEnglish(problem) }))),
    "metrics.txt": metrics.render(),
    "log.txt": lines.map(({ text }) => `${text}\n`).join(""),
    "slow-operations.json": toJson(
      slow.list().map((operation) => ({ ...operation, time: iso(operation.time) })),
    ),
    "files.json": toJson({ damage, check: run, store: await store.stats() }),
  };
}
