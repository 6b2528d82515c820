import type { TenantId } from "../../lib/core/ids.ts";
import { DAY_MS, HOUR_MS } from "../../lib/core/units.ts";
import type { Quota, Throttle } from "./provider/throttle.ts";

const MAILS_PER_ADDRESS = { hour: 5, day: 20 };
/** Limit of all tenants together; several times as high, so that one tenant does not use up an address for another. */
const MAILS_PER_ADDRESS_IN_ALL = { hour: 20, day: 60 };
const MAILS_PER_TENANT = { hour: 200, day: 1000 };

const quotas = (kind: string, who: string, max: { hour: number; day: number }): Quota[] => [
  { kind, who, max: max.hour, windowMs: HOUR_MS },
  { kind, who, max: max.day, windowMs: DAY_MS },
];

/**
 * Counts a mail for each address (per tenant and overall) and for the tenant, or returns the ms until there is room. Administrators enter the
 * addresses; with open sign-up, anyone can enter any address, so the gateway must not become a way to send unsolicited mails.
 */
export const createUserMailLimit =
  (throttle: Pick<Throttle, "takeOf">) =>
  (tenantId: TenantId, emails: readonly string[]): { readonly waitMs: number } | undefined =>
    throttle.takeOf([
      ...emails.flatMap((email) => [
        ...quotas("invitation_mail", `${tenantId} ${email}`, MAILS_PER_ADDRESS),
        ...quotas("invitation_address", email, MAILS_PER_ADDRESS_IN_ALL),
      ]),
      ...quotas("invitation_tenant", tenantId, MAILS_PER_TENANT),
    ]);
