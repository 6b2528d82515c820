import type { DeviceDetail } from "../../lib/api-types.ts";
import type { Resource } from "../../platform/resource.ts";

/** Props of all tabs of the device page. */
export interface DeviceTabProps {
  readonly device: DeviceDetail;
  readonly resource: Resource<DeviceDetail>;
}
