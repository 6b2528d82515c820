import { conflict, detail, invalid, notFound } from "../../lib/core/domain-error.ts";
import { ensureAllDevices as ensureAll } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";

export const uplinkNotFound = () => notFound("uplink.not_found");
export const deviceNotSelected = () => notFound("uplink.device_not_selected");
export const nothingToSkip = () => conflict("uplink.not_refused");
export const stepUnfit = () => invalid("uplink.step_unfit");
/** @throws DomainError `forbidden` without access to all devices, because an uplink sends data of any selected device */
export const ensureAllDevices = (principal: Principal): void =>
  ensureAll(principal, detail("uplink.action_uplinks"));
