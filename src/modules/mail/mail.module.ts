import { createSteadyNow } from "../../platform/clock.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { BrandingService } from "../tenants/branding.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { createMailRepository } from "./mail.repository.ts";
import { outboxRoutes } from "./mail.routes.ts";
import { createMailService } from "./mail.service.ts";
import { createSmtpTransport, defaultSender } from "./smtp-transport.ts";

const PRODUCT = "Lineside";
const ATTEMPT_TIMEOUT_MS = 120_000;

/** The outbox of mails; without an SMTP server they are held. */
export function createMailModule(
  { config, database, clock, events, log }: Core,
  deps: { tenants: TenantsService; branding: BrandingService },
) {
  const { tenants, branding } = deps;
  const { smtp_url: url, smtp_from: from } = config;
  const mail = createMailService({
    repository: createMailRepository(database),
    transport:
      url === undefined
        ? undefined
        : createSmtpTransport({ url, from: from ?? defaultSender(url), timeoutMs: ATTEMPT_TIMEOUT_MS }),
    // Not a tenant's own name: everybody who may sign up could send mail in any name.
    productOf: () => branding.appearance().name ?? PRODUCT,
    events,
    durable: database.durable,
    clock,
    now: createSteadyNow(clock),
    log: log.child("mail"),
  });
  return {
    mail,
    routes: (auth: AuthPlugin) => [outboxRoutes({ mail, tenants, auth })],
    parts: [{ name: "mail", start: () => mail.start(), stop: () => mail.stop() }],
  };
}
