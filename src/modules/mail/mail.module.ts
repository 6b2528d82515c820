import { createMonotonicNow } from "../../platform/time/clock.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsModule } from "../settings/settings.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { createMailRepository } from "./mail.repository.ts";
import { outboxRoutes } from "./mail.routes.ts";
import { createMailService } from "./mail.service.ts";
import { mailSettingsRoutes } from "./mail-settings.routes.ts";
import { MailSettings } from "./mail-settings.ts";

const PRODUCT = "Lineside";

/** Creates the outbox of mails, which are held if there is no SMTP server. */
export function createMailModule(
  { responses, config, database, clock, events, log }: Core,
  modules: { readonly tenants: TenantsModule; readonly settings: SettingsModule },
) {
  const { tenants, branding } = modules.tenants;
  const { settings: gatewaySettings } = modules.settings;
  const settings = new MailSettings({ settings: gatewaySettings, config, clock });
  // Not the tenant's name, because anybody who may sign up could send mail under any name.
  const product = () => branding.appearance().name ?? PRODUCT;
  const mail = createMailService({
    repository: createMailRepository(database),
    transport: () => settings.transport,
    productOf: product,
    events,
    durable: database.durable,
    clock,
    retentionTime: () => clock.retentionTime(),
    now: createMonotonicNow(clock),
    log: log.child("mail"),
  });
  return {
    mail,
    routes: (auth: AuthPlugin) => [
      outboxRoutes({ mail, tenants, responses, auth }),
      mailSettingsRoutes({ settings, mail, product, tenants, auth }),
    ],
    parts: [{ name: "mail", start: () => mail.start(), stop: () => mail.stop() }],
  };
}

export type MailModule = ReturnType<typeof createMailModule>;
