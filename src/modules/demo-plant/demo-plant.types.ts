import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";

/** Parts of the plant; deleted parts are recreated at its next start. */
export interface DemoPlantParts {
  /** Gateways, one per line. */
  readonly gateways: readonly DeviceId[];
  /** Machines in the order of the factory model. */
  readonly machines: readonly DeviceId[];
  readonly profiles: readonly ProfileId[];
  readonly dashboardId: string;
  /** Machines whose previous day is stored. */
  readonly remembered: readonly DeviceId[];
}

export interface DemoPlant {
  readonly tenantId: TenantId;
  readonly isRunning: boolean;
  readonly parts: DemoPlantParts;
  /** Epoch ms. */
  readonly createdAt: number;
}

export interface DemoPlantStatus {
  readonly state: "none" | "running" | "stopped";
  /** Progress of the history, from 0 to 1. */
  readonly progress: number;
  readonly deviceCount: number;
  readonly dashboardId: string | null;
}
