import type { DeviceDetail } from "../../lib/api-types.ts";
import type { Resource } from "../../platform/resource.ts";

/** What every tab of the device page receives. */
export interface DeviceTabProps {
  readonly device: DeviceDetail;
  readonly resource: Resource<DeviceDetail>;
}
