import type { DomainEvents } from "../modules/events.types.ts";
import { createMailRepository } from "../modules/mail/mail.repository.ts";
import { createMailService, type MailService } from "../modules/mail/mail.service.ts";
import { createSmtpTransport, defaultSender } from "../modules/mail/smtp-transport.ts";
import { type Clock, createSteadyNow } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";

const PRODUCT = "Lineside";
const TRY_TIMEOUT_MS = 120_000;

/** Wires the outbox; without an SMTP server its mails are held. */
export function createOutbox(deps: {
  config: Pick<Config, "smtp_url" | "smtp_from">;
  database: MainDatabase;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
  /** What the gateway's own people call it; null for what it is called anyway. */
  productName: () => string | null;
}): MailService {
  const { config, database, clock, events, log } = deps;
  const url = config.smtp_url;
  const transport =
    url === undefined
      ? undefined
      : createSmtpTransport({
          url,
          from: config.smtp_from ?? defaultSender(url),
          timeoutMs: TRY_TIMEOUT_MS,
        });
  return createMailService({
    repository: createMailRepository(database),
    transport,
    productOf: () => deps.productName() ?? PRODUCT,
    events,
    durable: database.durable,
    clock,
    now: createSteadyNow(clock),
    log,
  });
}
