import { formatBytes, formatNumber } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { type Resource, together, useResource } from "../../platform/resource.ts";
import { keepToken, may, me } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ask } from "../../ui/confirmation.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { SchemaForm } from "../../ui/form/schema-form.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import type { TenantProfile, TenantUsage } from "./site-api.ts";
import { siteApi } from "./site-api.ts";
import { tenantForm } from "./tenant-form.ts";

/** The site: its name, its plan, and its deletion. */
export function SitePage() {
  const profile = useResource(siteApi.tenant, []);
  const usage = useResource(siteApi.usage, []);
  return (
    <Loaded of={together({ tenant: profile, usage })}>
      {(site) => (
        <div class="flex max-w-3xl flex-col gap-5">
          <NameForm tenant={site.tenant} resource={profile} />
          <Plan tenant={site.tenant} usage={site.usage} />
          {may("tenant:delete") && <Removal tenant={site.tenant} isHost={site.usage.isHost} />}
        </div>
      )}
    </Loaded>
  );
}

function NameForm({ tenant, resource }: { tenant: TenantProfile; resource: Resource<TenantProfile> }) {
  const mayRename = may("tenant:write");
  return (
    <Section id="site-name" title={t("site.title")}>
      <SchemaForm
        form={tenantForm}
        initial={{ tenantName: tenant.tenantName }}
        isDisabled={!mayRename}
        hints={{ tenantName: t(mayRename ? "site.nameHint" : "site.nameFixed") }}
        onSave={async ({ tenantName }) => {
          const saved = await siteApi.renameTenant(String(tenantName));
          resource.set(saved);
          if (me.value && saved.tenantName) me.value = { ...me.value, tenantName: saved.tenantName };
          toast("success", t("settings.saved"));
        }}
      >
        <p class="flex min-w-0 flex-wrap items-center gap-2 text-sm text-soft">
          {t("site.id")} <span class="reading break-all">{tenant.tenantId}</span>
          <CopyButton text={tenant.tenantId} label={t("site.copyId")} />
        </p>
      </SchemaForm>
    </Section>
  );
}

/** Share of a limit at which the page warns. */
const NEAR = 0.8;

const formatPlain = (amount: number): string => formatNumber(amount, 4);

function Meter(props: {
  label: string;
  used: number;
  limit: number | null;
  format?: (amount: number) => string;
  note?: string | undefined;
  /** Effect of the limit in words, unless requests are refused. */
  full?: string;
}) {
  const { label, used, limit, note, format = formatPlain, full = t("plan.full") } = props;
  const share = limit === null ? 0 : Math.min(1, used / limit);
  const tone = share >= 1 ? "bg-error" : share >= NEAR ? "bg-warning" : "bg-primary";
  return (
    <div class="flex flex-col gap-1.5">
      <dt class="text-sm font-medium">{label}</dt>
      <dd class="flex flex-col gap-1.5">
        <span>
          <span class="reading text-lg">{format(used)}</span>{" "}
          <span class="text-soft">
            {limit === null && "· "}
            {limit === null ? t("plan.unlimited") : t("plan.of", { limit: format(limit) })}
          </span>
        </span>
        {limit !== null && (
          <span class="block h-1.5 overflow-hidden rounded-full bg-base-300" aria-hidden="true">
            <span class={`block h-full ${tone}`} style={{ width: `${share * 100}%` }} />
          </span>
        )}
        {limit !== null && share >= NEAR && <span class="text-sm">{share >= 1 ? full : t("plan.near")}</span>}
        {note && <span class="text-sm text-error">{note}</span>}
      </dd>
    </div>
  );
}

function Plan({ tenant, usage: { plan, usage, quotas } }: { tenant: TenantProfile; usage: TenantUsage }) {
  const { limits } = plan;
  const refused = usage.messagesRefusedPerMinute;
  const { mqttConnectionsRefused: refusedConnections, queuedMessagesDropped: dropped } = usage;
  return (
    <Section
      id="site-plan"
      title={t("plan.title", { name: plan.name })}
      hint={t(tenant.whitelabelEnabled ? "plan.whitelabel" : "plan.noWhitelabel")}
    >
      <dl class="grid gap-5 sm:grid-cols-2">
        <Meter label={t("nav.devices")} used={usage.devices} limit={limits.devices} />
        <Meter label={t("page.users")} used={usage.users} limit={limits.users} />
        <Meter
          label={t("plan.messages")}
          used={usage.messagesPerSecond}
          limit={limits.messagesPerSecond}
          note={refused > 0 ? plural("plan.refused", refused) : undefined}
        />
        <Meter
          label={t("plan.bytes")}
          used={usage.bytesPerSecond}
          limit={quotas.bytesPerSecond}
          format={formatBytes}
        />
        <Meter
          label={t("plan.storedBytes")}
          used={usage.storedBytes}
          limit={quotas.storedBytes}
          format={formatBytes}
        />
        <Meter label={t("plan.keys")} used={usage.keys} limit={quotas.keys} />
        <Meter
          label={t("plan.mqttConnections")}
          used={usage.mqttConnections}
          limit={quotas.mqttConnections}
          note={refusedConnections > 0 ? plural("plan.mqttRefused", refusedConnections) : undefined}
        />
        <Meter label={t("plan.mqttSessions")} used={usage.mqttSessions} limit={quotas.mqttSessions} />
        <Meter
          label={t("plan.queuedBytes")}
          used={usage.queuedBytes}
          limit={quotas.queuedBytes}
          format={formatBytes}
          full={t("plan.queuedFull")}
          note={dropped > 0 ? plural("plan.queuedDropped", dropped) : undefined}
        />
        <Meter
          label={t("plan.auditEntries")}
          used={usage.auditEntries}
          limit={quotas.auditEntries}
          full={t("plan.auditEntriesFull")}
        />
        <div class="flex flex-col gap-1.5">
          <dt class="text-sm font-medium">{t("plan.retention")}</dt>
          <dd>
            {limits.retentionDays === null ? t("plan.keepsAll") : plural("plan.days", limits.retentionDays)}
          </dd>
        </div>
      </dl>
    </Section>
  );
}

function Removal({ tenant, isHost }: { tenant: TenantProfile; isHost: boolean }) {
  const name = tenant.tenantName ?? "";
  const remove = () =>
    ask({
      title: t("site.delete"),
      warning: t("site.deleteWarning", { name }),
      action: t("site.deleteNow"),
      typed: { label: t("site.deleteConfirm", { name }), text: name },
      onConfirm: async () => {
        await siteApi.deleteTenant(name);
        keepToken(undefined);
      },
    });
  return (
    <section class="panel flex flex-col gap-3 p-4 sm:p-5" aria-labelledby="site-delete">
      <h2 id="site-delete" class="font-semibold">
        {t("site.delete")}
      </h2>
      <p class="text-sm text-soft">{t(isHost ? "site.hostStays" : "site.deleteHint")}</p>
      {!isHost && (
        <div>
          <button type="button" class="btn btn-sm text-error" onClick={remove}>
            {t("site.delete")}…
          </button>
        </div>
      )}
    </section>
  );
}
