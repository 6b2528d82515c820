import { may } from "../../platform/session.ts";

const permissions = {
  tags: "devices:write",
  profile: "devices:write",
  gateway: "devices:write",
  asset: "devices:write",
  command: "commands:write",
  maintenance: "maintenance:write",
  delete: "devices:write",
} as const;

/** Action on many devices. */
export type BulkAction = keyof typeof permissions;

/** Returns the bulk actions that the user may run. */
export const allowedBulkActions = (): BulkAction[] =>
  (Object.keys(permissions) as BulkAction[]).filter((action) => may(permissions[action])); // of the table above
