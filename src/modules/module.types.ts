import type { AnyElysia } from "elysia";
import type { Config } from "../platform/config/config.ts";
import type { EventBus } from "../platform/core/event-bus.ts";
import type { Health } from "../platform/core/health.ts";
import type { Logger } from "../platform/core/log.ts";
import type { SlowOperations } from "../platform/core/slow-operations.ts";
import type { MainDatabase } from "../platform/database/database.ts";
import type { DataDirectory } from "../platform/files/data-directory.ts";
import type { DiskWait } from "../platform/files/disk-wait.ts";
import type { InventoryKeeper } from "../platform/files/inventory-keeper.ts";
import type { BodySpace } from "../platform/load/body-space.ts";
import type { ResponseSpace } from "../platform/load/response-space.ts";
import type { OwnPorts } from "../platform/network/own-ports.ts";
import type { Part } from "../platform/process/lifecycle.ts";
import type { RestartRequest } from "../platform/process/restart.ts";
import type { TrustedClock } from "../platform/time/trusted-clock.ts";
import type { DomainEvents } from "./events.types.ts";
import type { AuthPlugin } from "./identity/identity.plugin.ts";

/** Foundations of all modules. */
export interface Core {
  readonly version: string;
  /** Abbreviated commit of the build, or "unknown". */
  readonly commit: string;
  /** Configuration from flags, environment and file. */
  readonly configured: Config;
  /** Configuration, completed by the console's settings. */
  readonly config: Config;
  readonly data: DataDirectory;
  readonly inventory: InventoryKeeper;
  readonly database: MainDatabase;
  /** Accounts, codes and sign-in attempts of the identity provider. */
  readonly identityDatabase: MainDatabase;
  readonly clock: TrustedClock;
  readonly events: EventBus<DomainEvents>;
  /** Budget of bytes in flight. */
  readonly responses: ResponseSpace;
  /** Budget of the bodies of requests in progress. */
  readonly bodySpace: BodySpace;
  readonly ports: OwnPorts;
  /** Current problems of the gateway; every module adds its own. */
  readonly health: Health;
  /** Notices a disk that does not finish writes. */
  readonly diskWait: DiskWait;
  /** Most recent slow operations. */
  readonly slow: SlowOperations;
  readonly restart: RestartRequest;
  readonly log: Logger;
}

/** Parts of a module, in addition to its services. */
export interface Module {
  routes?(auth: AuthPlugin): readonly AnyElysia[];
  /** Parts in starting order. */
  readonly parts?: readonly Part[];
}
