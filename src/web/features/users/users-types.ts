import type {
  createUserBody,
  invitationBody,
  updateUserBody,
  userBody,
} from "../../../modules/users/users.schemas.ts";
import type { Role } from "../../lib/api-types.ts";
import type { Refined, Wire } from "../../lib/wire.ts";

export type User = Wire<typeof userBody>;
type Level = Partial<Pick<User, "notificationEscalationLevel">>;
export type UserEdit = Refined<Wire<typeof updateUserBody>, Level>;
export type NewUser = Refined<Wire<typeof createUserBody>, Level>;
export type Invitation = Wire<typeof invitationBody>;
export type UserStatus = User["status"];
export type InviteDelivery = User["inviteDelivery"];

/** Roles from the most to the least powerful. */
export const ROLES = [
  "TENANT_OWNER",
  "TENANT_ADMIN",
  "TENANT_RW",
  "TENANT_READ_ONLY",
] as const satisfies readonly Role[];

/** Devices that a user may see: all, or those named and those of the named assets. */
export type Access = Pick<User, "hasGlobalDeviceAccess" | "hasGlobalAssetAccess" | "deviceIds" | "assetIds">;

export interface UserListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly search?: string;
  readonly role?: string;
  readonly status?: string;
}
