import { conflict, DomainError, forbidden, invalid, notFound } from "../../lib/domain-error.ts";

export const dashboardNotFound = () => notFound("dashboard.not_found", "There is no such dashboard.");
export const dashboardInvalid = (where: string, what: string) =>
  invalid("dashboard.invalid", `${where}: ${what}`);
export const DASHBOARDS_MAX = 500;
export const dashboardsLimit = (limit: number) =>
  conflict("dashboard.limit", `A tenant has ${limit} dashboards at most; delete one first.`);
export const aliasMissing = () => invalid("dashboard.alias_missing", "alias: is required");

export const dashboardShared = () =>
  forbidden(
    "dashboard.shared",
    "There are links to this dashboard: only those who see all devices may change what it shows.",
  );
export const shareNotFound = () => notFound("dashboard.share_not_found", "There is no such link.");
export const shareExpired = () => invalid("dashboard.share_expired", "expiresAt: must be in the future");
export const shareEndInvalid = () =>
  invalid("dashboard.share_end", "expiresAt: must be a time like 2026-12-24T18:00:00Z");
export const sharesLimit = (limit: number) =>
  conflict("dashboard.share_limit", `A dashboard has ${limit} links at most; delete one first.`);
export const sharesBusy = () =>
  new DomainError("limited", "dashboard.share_busy", "Too many screens ask by this link at once.", {
    retryAfterSeconds: 2,
  });
