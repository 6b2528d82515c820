import { conflict, forbidden, invalid, limited, notFound, tooLarge } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const dashboardNotFound = () => notFound("dashboard.not_found");
export const dashboardInvalid = (field: string, rule: Text) => invalid("dashboard.invalid", { field, rule });
export const versionNotFound = () => notFound("dashboard.version_not_found");
export const deviceTypeUnknown = () => notFound("dashboard.device_type_unknown");
export const DASHBOARDS_MAX = 500;
export const dashboardTooLarge = (kind: "values" | "points", max: number) =>
  tooLarge(kind === "values" ? "dashboard.too_many_values" : "dashboard.too_many_points", { max });
export const aliasMissing = () => invalid("dashboard.alias_missing");

export const dashboardShared = () => forbidden("dashboard.shared");
export const shareNotFound = () => notFound("dashboard.share_not_found");
export const shareExpired = () => invalid("dashboard.share_expired");
export const shareEndInvalid = () => invalid("dashboard.share_end");
export const sharesLimit = (limit: number) => conflict("dashboard.share_limit", { limit });
export const sharesBusy = () => limited("dashboard.share_busy", 2);
