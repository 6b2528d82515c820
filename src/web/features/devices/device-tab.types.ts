import type { DeviceDetail } from "../../lib/api-types.ts";
import type { Resource } from "../../platform/resource.ts";

/** Describes what every tab of the device page receives. */
export interface DeviceTabProps {
  readonly device: DeviceDetail;
  readonly resource: Resource<DeviceDetail>;
}
