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

export type BulkAction = keyof typeof permissions;

export const allowedBulkActions = (): BulkAction[] =>
  (Object.keys(permissions) as BulkAction[]).filter((action) => may(permissions[action])); // of the table above
