import { detail } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { MailRepository } from "./mail.repository.ts";
import { MailRefusal, type MailTransport, type OutboxMail, type OutgoingMail } from "./mail.types.ts";
import { scrubbed } from "./mail-scrub.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Waits after the first tries: short ones for servers that put unknown senders off (greylisting), then hourly. */
const FIRST_WAITS_MS = [1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS);
/** 68 minutes of first waits and 23 hours: a day. Counted in tries, so that no clock that is set ends it. */
export const ATTEMPTS_MAX = FIRST_WAITS_MS.length + 23 + 1;
/** How long at most until mails are seen that the command line has queued. */
const POLL_INTERVAL_MS = 30_000;
const REASON_CHARACTERS_MAX = 500;

const unexpected = (error: unknown): MailRefusal =>
  new MailRefusal(
    detail("mail_error.unexpected", { reason: excerpt(String(error), REASON_CHARACTERS_MAX) }),
    false,
  );

export const waitAfter = (attempts: number): number => FIRST_WAITS_MS[attempts - 1] ?? HOUR_MS;

/**
 * Sends what is queued, one mail at a time and the longest due first. A try is counted, and the next one set, before the
 * server is asked: after a crash in between, the mail goes out again under the same Message-ID, but not in a loop.
 */
export function createMailDelivery(deps: {
  repository: MailRepository;
  transport: MailTransport;
  render: (mail: OutboxMail) => OutgoingMail;
  onSettled: (mail: OutboxMail) => void;
  /** Resolves once what was written is on the disk. */
  durable: () => Promise<void>;
  clock: Clock;
  /** Steady epoch ms. */
  now: () => number;
  log: Logger;
}) {
  const { repository, transport, clock, now, log } = deps;
  let cancel: () => void = () => undefined;
  let running: Promise<void> | undefined;
  let stopped = true;
  /** Something came while the last round was ending. */
  let isAsked = false;
  /** Mails that were sent and whose row could not be written: they must not go out again. */
  const sentUnmarked = new Set<string>();

  function markSent(mail: OutboxMail): void {
    sentUnmarked.add(mail.mailId);
    repository.update(mail.mailId, {
      state: "SENT",
      sentAt: clock.now(),
      lastError: null,
      ...scrubbed(mail),
    });
    sentUnmarked.delete(mail.mailId);
  }

  function markRefused(mail: OutboxMail, attempts: number, refusal: MailRefusal): void {
    const isFinal = refusal.isPermanent || attempts >= ATTEMPTS_MAX;
    repository.update(mail.mailId, {
      state: isFinal ? "FAILED" : "QUEUED",
      lastError: refusal.text,
    });
    log.warn(isFinal ? "mail failed" : "mail not sent, is tried again", {
      mailId: mail.mailId,
      attempts,
      reason: refusal.message,
    });
  }

  async function attempt(mail: OutboxMail): Promise<void> {
    const attempts = mail.attempts + 1;
    repository.update(mail.mailId, { attempts, nextAttemptAt: now() + waitAfter(attempts) });
    await deps.durable();
    if (sentUnmarked.has(mail.mailId)) return markSent(mail);
    try {
      await transport.send(deps.render(mail));
    } catch (error) {
      markRefused(mail, attempts, error instanceof MailRefusal ? error : unexpected(error));
      return;
    }
    markSent(mail);
    log.info("mail sent", { mailId: mail.mailId, attempts });
  }

  /** Sends all that is due; when the next one is, if there is one. */
  async function sendDue(): Promise<number | undefined> {
    while (!stopped) {
      const mail = repository.next();
      if (mail === undefined || mail.nextAttemptAt > now()) return mail?.nextAttemptAt;
      await attempt(mail);
      const settled = repository.find(mail.mailId);
      if (settled !== undefined) deps.onSettled(settled);
    }
    return undefined;
  }

  function wake(): void {
    isAsked = running !== undefined;
    if (stopped || isAsked) return;
    cancel();
    running = sendDue()
      .then((nextDueAt) => Math.min((nextDueAt ?? Number.POSITIVE_INFINITY) - now(), POLL_INTERVAL_MS))
      .catch((error: unknown) => {
        log.warn("the outbox could not be processed and is retried", { error }); // a full disk, say
        return POLL_INTERVAL_MS;
      })
      .then((waitMs) => {
        running = undefined;
        if (isAsked || waitMs <= 0) wake();
        else if (!stopped) cancel = clock.schedule(waitMs, wake);
      });
  }

  return {
    start(): void {
      stopped = false;
      wake();
    },
    async stop(): Promise<void> {
      stopped = true;
      cancel();
      await running;
    },
    /** There may be something to send. */
    wake,
  };
}
