import { detail, inEnglish } from "../../lib/core/domain-error.ts";
import { messageOf } from "../../lib/core/error-message.ts";
import { HOUR_MS, MINUTE_MS } from "../../lib/core/units.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { DeliveryTarget } from "../../platform/delivery-queue/delivery-lanes.ts";
import { type Attempt, DeliveryQueue, type Settled } from "../../platform/delivery-queue/delivery-queue.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { MailRepository, QueuedMail } from "./mail.repository.ts";
import { MailRefusal, type MailTransport, type OutboxMail, type OutgoingMail } from "./mail.types.ts";
import { scrubbed } from "./mail-text.ts";

/** Delays after the first attempts: short for servers that initially reject unknown senders (greylisting), then hourly. */
const FIRST_WAITS_MS = [1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS);
/** Max. attempts, which cover a day: 68 minutes of first delays and 23 hours. Attempts are counted, so that setting the clock has no effect. */
export const ATTEMPTS_MAX = FIRST_WAITS_MS.length + 23 + 1;
const NO_SERVER_MS = 30_000;
const REASON_CHARACTERS_MAX = 500;
/** Sends one mail at a time. */
const IN_FLIGHT = { own: 0, shared: 1, perTenant: 1, perTarget: 1 };

export const mailBackOffMs = (attempts: number): number => FIRST_WAITS_MS[attempts - 1] ?? HOUR_MS;

const unexpected = (error: unknown): MailRefusal =>
  new MailRefusal(
    detail("mail_error.unexpected", { reason: excerpt(messageOf(error), REASON_CHARACTERS_MAX) }),
    false,
  );

interface MailDeliveryDeps {
  readonly repository: MailRepository;
  /** Returns undefined without a mail server; nothing is sent then. */
  readonly transport: () => MailTransport | undefined;
  readonly render: (mail: OutboxMail) => OutgoingMail;
  readonly onSettled: (mail: OutboxMail) => void;
  /** Called for each failed attempt. `isFinal`: no retry follows. */
  readonly onFailed: (mail: OutboxMail, reason: Text, isFinal: boolean) => void;
  readonly upkeep: () => void;
  /** Resolves once all writes are on disk. */
  readonly durable: () => Promise<void>;
  readonly clock: Clock;
  /** Returns monotonic epoch ms. */
  readonly now: () => number;
  readonly log: Logger;
}

type SettledMail = Settled<DeliveryTarget, QueuedMail, undefined>;

/** Creates the delivery queue of mails. Each mail is retried separately, because a mail server can refuse one recipient and accept another. */
export function createMailDelivery(deps: MailDeliveryDeps) {
  const { repository, clock, now, log } = deps;

  /**
   * Counts the attempt and schedules the next one before contacting the server: after a crash in between, the mail is resent with the same
   * Message-ID, but not endlessly.
   */
  async function attempt(mail: QueuedMail): Promise<Attempt> {
    const transport = deps.transport();
    if (transport === undefined)
      return { verdict: { retry: "target" }, error: null, isSkipped: true, retryAfterMs: NO_SERVER_MS };
    const attempts = mail.attempts + 1;
    repository.update(mail.mailId, { attempts, dueAt: now() + mailBackOffMs(attempts) });
    await deps.durable();
    try {
      await transport.send(deps.render(mail));
      return { verdict: "delivered", error: null };
    } catch (error) {
      const { text, isPermanent } = error instanceof MailRefusal ? error : unexpected(error);
      const verdict = isPermanent ? "dead" : { retry: "request" as const };
      return { verdict, error: text, isLast: attempts >= ATTEMPTS_MAX };
    }
  }

  function save({ row: mail, state, attempt: { error } }: SettledMail): void {
    const changes =
      state === "delivered"
        ? ({ state: "SENT", sentAt: clock.now(), lastError: null, ...scrubbed(mail) } as const)
        : ({ state: state === "dead" ? "FAILED" : "QUEUED", lastError: error } as const);
    repository.update(mail.mailId, changes);
  }

  function report({ row: mail, state, attempts, attempt: { error } }: SettledMail): void {
    const { mailId } = mail;
    if (error === null) log.info("mail sent", { mailId, attempts });
    else {
      const isFinal = state === "dead";
      deps.onFailed(mail, error, isFinal);
      const message = isFinal ? "mail failed" : "mail not sent, is tried again";
      log.warn(message, { mailId, attempts, reason: inEnglish(error) });
    }
    const settled = repository.find(mailId);
    if (settled !== undefined) deps.onSettled(settled);
  }

  return new DeliveryQueue<DeliveryTarget, QueuedMail>(
    {
      store: repository,
      limits: { inFlight: IN_FLIGHT },
      now,
      writeAfterMs: 0,
      attempt,
      backOffMs: mailBackOffMs,
      write(results) {
        const tried = results.filter(({ attempt: { isSkipped } }) => isSkipped !== true);
        for (const settled of tried) save(settled);
        for (const settled of tried) report(settled);
      },
      upkeep: deps.upkeep,
    },
    { clock, log },
  );
}
