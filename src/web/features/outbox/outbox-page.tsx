import { Mail as MailIcon, Send, Server } from "lucide-preact";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { usePages, useResource } from "../../platform/resource.ts";
import { may, me } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import type { SettingsPageProps } from "../../ui/page/settings-page.types.ts";
import { Trail } from "../../ui/page/trail.tsx";
import { Age } from "../../ui/state/age.tsx";
import { ThingFaults } from "../faults/fault-list.tsx";
import { type ListedMail, MAIL_STATES, type Mail, outboxApi } from "./outbox-api.ts";

const PAGE_SIZE = 100;
/** Interval of checks of a waiting mail in ms. */
const WATCH_MS = 3_000;

/** Mails that the gateway sent, or keeps without a mail server. */
export function OutboxPage({ id }: SettingsPageProps) {
  return id ? <MailPage key={id} mailId={id} /> : <MailList />;
}

function MailList() {
  const { filter, set } = useUrlFilter(["search", "state"]);
  const list = usePages((limit) => outboxApi.list({ ...filter, limit }), [filter], PAGE_SIZE);
  return (
    <ResourceList
      title={t("page.outbox")}
      isWithin
      intro={t("outbox.intro")}
      actions={
        may("gateway:manage") && (
          <a class="btn btn-sm" href="/settings/notifications/mail-server">
            <Server size={16} aria-hidden="true" />
            {t("mailServer.title")}
          </a>
        )
      }
      notes={
        <>
          {list.data?.rows.some(({ state }) => state === "HELD") && (
            <p class="panel border-l-4 border-l-warning p-4" role="status">
              {t("outbox.held")}
            </p>
          )}
          {me.value?.tenantId !== undefined && <ThingFaults kind="outbox" id={me.value.tenantId} />}
        </>
      }
      list={list}
      filters={
        <>
          <SearchBox
            label={t("outbox.search")}
            value={filter.search}
            onSearch={(search) => set({ search })}
          />
          <FilterSelect
            class="w-40"
            label={t("common.state")}
            all={t("outbox.allStates")}
            value={filter.state}
            options={MAIL_STATES.map((id) => ({ id, text: t(`mailState.${id}`) }))}
            onSelect={(state) => set({ state })}
          />
        </>
      }
      isFiltered={filter.search !== "" || filter.state !== ""}
      countText={(total) => plural("outbox.count", total)}
      icon={MailIcon}
      none={[t("outbox.none"), t("outbox.noneHint")]}
      noMatch={[t("outbox.noMatch"), t("outbox.noMatchHint")]}
    >
      {(mail) => <MailRow key={mail.mailId} mail={mail} />}
    </ResourceList>
  );
}

function MailRow({ mail }: { mail: ListedMail }) {
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3 hover:bg-base-200">
      <div class="min-w-0 flex-[3_1_16rem]">
        <a href={`/settings/outbox/${mail.mailId}`} class="block truncate font-medium hover:underline">
          {mail.subject}
        </a>
        <p class="truncate text-sm text-soft">{mail.to}</p>
      </div>
      <p class="flex-[1_1_8rem]">
        <MailState mail={mail} />
      </p>
      <p class="flex-[1_1_6rem] text-sm text-soft">
        <Age ts={toMs(mail.createdAt)} />
      </p>
    </li>
  );
}

const MailState = ({ mail: { state } }: { mail: ListedMail }) => (
  <span class={state === "FAILED" ? "text-error" : state === "HELD" ? "text-warning" : ""}>
    {t(`mailState.${state}`)}
  </span>
);

function MailPage({ mailId }: { mailId: string }) {
  const resource = useResource(() => outboxApi.get(mailId), [mailId]);
  useRefresh(resource.reload, resource.data?.state === "QUEUED" ? WATCH_MS : undefined);
  return (
    <div class="flex max-w-3xl flex-col gap-4">
      <Trail steps={[{ href: "/settings/outbox", text: t("page.outbox") }]} />
      <Loaded of={resource}>{(mail) => <MailView mail={mail} onSent={resource.set} />}</Loaded>
    </div>
  );
}

function MailView({ mail, onSent }: { mail: Mail; onSent: (mail: Mail) => void }) {
  const action = useAction();
  const send = () =>
    action.run(async () => {
      onSent(await outboxApi.retry(mail.mailId));
      toast("success", t("outbox.sending"));
    });
  const next = toMs(mail.nextAttemptAt);
  const sent = toMs(mail.sentAt);
  return (
    <article class="panel flex flex-col" aria-labelledby="mail-subject">
      <div class="flex flex-wrap items-start justify-between gap-3 border-b border-base-300 p-4 sm:p-5">
        <div class="min-w-0">
          <h2 id="mail-subject" class="text-lg font-semibold break-words">
            {mail.subject}
          </h2>
          <p class="break-words text-soft">{t("outbox.to", { to: mail.to })}</p>
        </div>
        {mail.state !== "SENT" && (
          <Button icon={Send} size={14} disabled={action.busy} onClick={send}>
            {t("outbox.send")}
          </Button>
        )}
      </div>
      <dl class="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 border-b border-base-300 p-4 text-sm sm:p-5">
        <dt class="text-soft">{t("common.state")}</dt>
        <dd>
          <MailState mail={mail} />
        </dd>
        <dt class="text-soft">{t("common.created")}</dt>
        <dd>{formatDate(toMs(mail.createdAt) ?? 0, "zoned")}</dd>
        {sent !== undefined && (
          <>
            <dt class="text-soft">{t("mailState.SENT")}</dt>
            <dd>{formatDate(sent, "zoned")}</dd>
          </>
        )}
        {mail.attempts > 0 && (
          <>
            <dt class="text-soft">{t("outbox.attempts")}</dt>
            <dd>{mail.attempts}</dd>
          </>
        )}
        {mail.state === "QUEUED" && next !== undefined && (
          <>
            <dt class="text-soft">{t("outbox.next")}</dt>
            <dd>{formatDate(next, "zoned")}</dd>
          </>
        )}
        {mail.lastErrorText && (
          <>
            <dt class="text-soft">{t("outbox.error")}</dt>
            <dd class="break-words text-error">{serverText(mail.lastErrorText)}</dd>
          </>
        )}
      </dl>
      {mail.state === "HELD" && (
        <p class="border-b border-base-300 bg-base-200 p-4 text-sm sm:px-5">{t("outbox.heldHint")}</p>
      )}
      <ErrorNote error={action.error} />
      <div class="flex flex-col gap-3 p-4 sm:p-5">
        <p class="break-words whitespace-pre-wrap">{mail.text}</p>
        <div>
          <CopyButton text={mail.text} label={t("outbox.copy")} />
        </div>
      </div>
    </article>
  );
}
