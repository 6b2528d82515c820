import type { TenantId } from "../../lib/core/ids.ts";
import type { Quota, Throttle } from "./provider/throttle.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAILS_PER_ADDRESS = { hour: 5, day: 20 };
/** Of all tenants: several times as much, so that one tenant does not use up an address for another. */
const MAILS_PER_ADDRESS_IN_ALL = { hour: 20, day: 60 };
const MAILS_PER_TENANT = { hour: 200, day: 1000 };

const quotas = (kind: string, who: string, max: { hour: number; day: number }): Quota[] => [
  { kind, who, max: max.hour, windowMs: HOUR_MS },
  { kind, who, max: max.day, windowMs: DAY_MS },
];

/**
 * Counts a mail to each address (of the tenant, and of all tenants) and one of the tenant, or says after how many ms there is room. The addresses
 * are those that administrators give users. Where strangers may sign up, whoever does can give any address: the gateway must not become a way to mail people at will.
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
