import { type App, createApp } from "../../app.ts";
import { DomainError, inEnglish } from "../../lib/core/domain-error.ts";
import { type Config, ConfigError, loadConfig, processEnv } from "../../platform/config/config.ts";
import { configureLogging, createLogger } from "../../platform/core/log.ts";
import { endProcess } from "../../platform/process/end-process.ts";
import { IdleMemory } from "../../platform/process/idle-memory.ts";
import { RESTART_SIGNAL } from "../../platform/process/restart-signal.ts";
import { Supervisor } from "../../platform/process/supervisor.ts";
import { systemClock } from "../../platform/time/clock.ts";
import { version } from "../../version.ts";
import { fromElsewhere } from "../other-addresses.ts";
import {
  continueUpdate,
  noteOrderlyStop,
  proveTrial,
  restartProgram,
  returnFromTrial,
} from "../update-trial.ts";
import { explain } from "./explain.ts";

/** Max. duration of a stop. A longer stop is a defect, for which the supervisor should not wait. */
const STOP_MS_MAX = 10_000;
/** EX_IOERR of sysexits.h: informs a supervisor that storage failed. */
const FATAL_EXIT_CODE = 74;
/** EX_CONFIG of sysexits.h: informs a supervisor that the configuration must be changed before another start. */
const CONFIG_EXIT_CODE = 78;
const STOP_SIGNALS = ["SIGTERM", "SIGINT"];

/** Creates the owner in the configuration before the gateway listens, so that a ready gateway allows sign-in. */
async function createConfiguredOwner(app: App, config: Config): Promise<void> {
  const { owner_email: email, owner_password: password } = config;
  if (email === undefined || password === undefined || !app.services.setup.isRequired()) return;
  const { tenant_name: tenantName } = config;
  try {
    await app.services.setup.createOwner({ email, password, fullName: "Owner", tenantName });
  } catch (error) {
    if (!(error instanceof DomainError && error.code.startsWith("password."))) throw error;
    throw new ConfigError([`LINESIDE_OWNER_PASSWORD: ${error.message}`]);
  }
  createLogger("setup").info("owner created from the configuration", { email });
}

function printSetupLink(app: App, config: Config): void {
  if (!app.services.setup.isRequired()) return;
  const link = `${app.url}/setup?token=${app.services.setup.createLink()}`;
  const elsewhere = fromElsewhere(link, config);
  // Not logged, because log lines are kept and shown, and the link makes its reader the owner.
  if (config.log_format === "json") {
    const time = new Date().toISOString();
    const message = "open the link to set up the gateway";
    console.log(JSON.stringify({ time, level: "info", logger: "setup", message, link, elsewhere }));
    return;
  }
  const others =
    elsewhere.length === 0 ? "" : `\n  or from another computer:\n\n    ${elsewhere.join("\n    ")}\n`;
  console.log(
    `\n  Open this link to set up the gateway (valid for 30 minutes, once):\n\n    ${link}\n${others}`,
  );
}

/**
 * Resolves when the process is asked to end. Further requests have no effect (Ctrl-C under `npm start` arrives from the terminal and from npm); a
 * stop that hangs has its own limit.
 */
function untilAskedToStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of [...STOP_SIGNALS, RESTART_SIGNAL]) process.on(signal, () => resolve(signal));
  });
}

/** Resolves to the reason for the end: a signal, a requested restart, or a fatal problem. */
async function untilEnd(app: App, asked: Promise<string>): Promise<string> {
  const { promise: failed, resolve } = Promise.withResolvers<string>();
  const cancel = app.health.onFatal(systemClock, (problem) => {
    const message = inEnglish(problem);
    createLogger().error("gateway cannot continue, stopping", { code: problem.code, message });
    resolve(message);
  });
  const reason = await Promise.race([asked, failed, app.restartRequested.then(() => RESTART_SIGNAL)]);
  cancel();
  return reason;
}

/** Stops the gateway. Calls `onLate` if that takes too long: what `onLate` does must end whatever still runs, as a kill does. */
export async function stopInTime(
  app: Pick<App, "stop">,
  onLate: () => never,
  limitMs = STOP_MS_MAX,
): Promise<void> {
  const log = createLogger();
  const timeout = setTimeout(() => {
    log.error("stopping took too long", { limitMs });
    onLate();
  }, limitMs);
  await app.stop();
  clearTimeout(timeout);
  log.info("stopped");
}

/** Runs the gateway from start to end. Ends the process, or replaces it for a restart. */
async function runGateway(config: Config, args: readonly string[]): Promise<never> {
  const asked = untilAskedToStop();
  const supervisor = new Supervisor(systemClock, processEnv());
  const app = createApp(config);
  await createConfiguredOwner(app, config);
  await app.start();
  const cancelProof = proveTrial(config, systemClock);
  printSetupLink(app, config);
  supervisor.ready();
  const idleMemory = new IdleMemory({ clock: systemClock, log: createLogger("memory") });
  idleMemory.start();
  createLogger().info("ready", { version, url: app.url, mqttPort: app.mqttPort, data: config.data });
  const reason = await untilEnd(app, asked);
  createLogger().info("stopping", { reason });
  idleMemory.stop();
  cancelProof();
  if (reason === RESTART_SIGNAL || STOP_SIGNALS.includes(reason)) noteOrderlyStop(config);
  if (reason === RESTART_SIGNAL) {
    const restart = () => {
      supervisor.leave();
      return restartProgram(args);
    };
    // On a slow disk as well: without a supervisor, nobody else would start the gateway again.
    await stopInTime(app, restart);
    return restart();
  }
  supervisor.stopping();
  await stopInTime(app, () => endProcess(1));
  // Parts that could not stop on a broken disk may hold the process: a supervisor waits for its end.
  return endProcess(STOP_SIGNALS.includes(reason) ? 0 : FATAL_EXIT_CODE);
}

/** `lineside serve`: runs until SIGTERM or SIGINT; exit code 0 after an orderly stop, 74 after a failure of the storage, 78 for a mistake in the configuration. */
export async function serve(args: readonly string[]): Promise<number> {
  try {
    const config = loadConfig(args, processEnv());
    configureLogging({ level: config.log_level, format: config.log_format });
    continueUpdate(config, args);
    return await runGateway(config, args);
  } catch (error) {
    returnFromTrial(error, args);
    // Parts that had started may hold the process: a supervisor waits for its end.
    const code = explain(error);
    return endProcess(error instanceof ConfigError ? CONFIG_EXIT_CODE : code);
  }
}
