import { get, post, remove } from "../../platform/api-client.ts";

export interface DemoPlantStatus {
  readonly state: "none" | "running" | "stopped";
  /** 0 to 1: how much of its history is stored. */
  readonly progress: number;
  readonly deviceCount: number;
  readonly dashboardId: string | null;
}

const BASE = "/api/demo-plant";

export const demoPlantApi = {
  status: () => get<DemoPlantStatus>(BASE),
  start: () => post<DemoPlantStatus>(`${BASE}/start`),
  stop: () => post<DemoPlantStatus>(`${BASE}/stop`),
  remove: () => remove(BASE),
};
