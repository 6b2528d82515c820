import type { DeviceDetail } from "../../lib/api-types.ts";
import type { Resource } from "../../platform/resource.ts";

export interface DeviceTabProps {
  readonly device: DeviceDetail;
  readonly resource: Resource<DeviceDetail>;
}
