import { conflict, invalid, notFound } from "../../lib/domain-error.ts";

export const dashboardNotFound = () => notFound("dashboard.not_found", "There is no such dashboard.");
export const dashboardInvalid = (where: string, what: string) =>
  invalid("dashboard.invalid", `${where}: ${what}`);
export const dashboardsLimit = (limit: number) =>
  conflict("dashboard.limit", `A tenant has ${limit} dashboards at most; delete one first.`);
export const aliasMissing = () => invalid("dashboard.alias_missing", "alias: is required");
