import type { AnyElysia } from "elysia";
import type { AnswerSpace } from "../platform/answer-space.ts";
import type { Config } from "../platform/config.ts";
import type { DataDirectory } from "../platform/data-directory.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Health } from "../platform/health.ts";
import type { InventoryKeeper } from "../platform/inventory-keeper.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";
import type { OwnPorts } from "../platform/own-ports.ts";
import type { RestartRequest } from "../platform/restart.ts";
import type { SlowOperations } from "../platform/slow-operations.ts";
import type { TrustedClock } from "../platform/trusted-clock.ts";
import type { DomainEvents } from "./events.types.ts";
import type { AuthPlugin } from "./identity/identity.plugin.ts";

/** Foundations of all modules. */
export interface Core {
  readonly version: string;
  /** The abbreviated commit of the build, or "unknown". */
  readonly commit: string;
  /** Flags, environment and file. */
  readonly configured: Config;
  /** The same with the settings of the console where those set nothing. */
  readonly config: Config;
  readonly data: DataDirectory;
  readonly inventory: InventoryKeeper;
  readonly database: MainDatabase;
  /** Accounts, codes and sign-in attempts of the identity provider. */
  readonly identityDatabase: MainDatabase;
  readonly clock: TrustedClock;
  readonly events: EventBus<DomainEvents>;
  /** Budget of bytes in flight. */
  readonly answers: AnswerSpace;
  readonly ports: OwnPorts;
  /** Present problems of the gateway; every module adds its own. */
  readonly health: Health;
  /** The newest operations that took long. */
  readonly slow: SlowOperations;
  readonly restart: RestartRequest;
  readonly log: Logger;
}

/** Parts of a module, in addition to its services. */
export interface Module {
  routes?(auth: AuthPlugin): readonly AnyElysia[];
  /** Sorted in the order in which they start. */
  readonly parts?: readonly Part[];
}
