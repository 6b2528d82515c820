import type { statusBody } from "../../../modules/demo-plant/demo-plant.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, remove } from "../../platform/api-client.ts";

export type DemoPlantStatus = Wire<typeof statusBody>;

const BASE = "/api/demo-plant";

export const demoPlantApi = {
  status: () => get<DemoPlantStatus>(BASE),
  start: () => post<DemoPlantStatus>(`${BASE}/start`),
  stop: () => post<DemoPlantStatus>(`${BASE}/stop`),
  remove: () => remove(BASE),
};
