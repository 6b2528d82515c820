import { BellRing } from "lucide-preact";
import { useLocation } from "preact-iso";
import { resolveKeyMetadata } from "../../../../lib/keys/key-metadata.ts";
import type { JsonValue } from "../../../lib/wire.ts";
import { formatCount, toMs } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { useLive } from "../../../platform/live.ts";
import { useKept } from "../../../platform/resource.ts";
import { may } from "../../../platform/session.ts";
import { useCoalesced } from "../../../platform/use-coalesced.ts";
import { useAction } from "../../../ui/form/use-form.ts";
import { ErrorNote } from "../../../ui/page/error-note.tsx";
import { ResourceList } from "../../../ui/page/resource-list.tsx";
import { Age } from "../../../ui/state/age.tsx";
import { changeProfile } from "../../profiles/profiles-api.ts";
import { type ListedRule, listRules } from "../alarms-api.ts";
import { ruleHref } from "../rule-href.ts";
import { toRuleForm } from "../rules/rule-form.ts";
import { ruleText } from "../rules/rule-text.ts";
import { AlarmTabs } from "./alarm-tabs.tsx";
import { CreateRule } from "./create-rule.tsx";

/** Reload interval, because each time the devices of all rules are counted. */
const RELOAD_MS = 10_000;

/** Enables or disables a rule without changing the others of its profile. */
async function setEnabled({ profileId, alarmType }: ListedRule, enabled: boolean): Promise<void> {
  const change = (rule: JsonValue): JsonValue => {
    const { enabled: _, ...others } = rule as { [name: string]: JsonValue }; // as the service checked it
    return others.alarmType === alarmType ? { ...others, ...(!enabled && { enabled }) } : rule;
  };
  await changeProfile(profileId, ({ alarmRules }) => ({
    alarmRules: (alarmRules as JsonValue[]).map(change),
  }));
}

/** Alarm rules of all profiles, with their conditions and their effects. */
export function RulesPage() {
  const { query } = useLocation();
  const search = query.search ?? "";
  const list = useKept(() => listRules(search), [search]);
  const reloadSoon = useCoalesced(list.reload, RELOAD_MS);
  useLive({ topics: ["alarms"] }, reloadSoon);
  return (
    <ResourceList
      title={t("nav.alarms")}
      tabs={<AlarmTabs current="rules" />}
      intro={t("alarmRules.intro")}
      list={list}
      search={search}
      searchLabel={t("alarmRules.search")}
      countText={(count) => plural("alarmRules.count", count)}
      icon={BellRing}
      none={[t("rule.none"), t("rule.noneHint")]}
      noMatch={[t("alarmRules.noMatch"), t("common.tryFewerLetters")]}
      create={may("profiles:write") && <CreateRule />}
    >
      {(rule) => (
        <RuleRow key={`${rule.profileId} ${rule.alarmType}`} listed={rule} onChanged={list.reload} />
      )}
    </ResourceList>
  );
}

function RuleRow(props: { listed: ListedRule; onChanged: () => void }) {
  const { listed } = props;
  const { alarmType, profileId, profileName, openCount, lastRaisedAt, deviceCount } = listed;
  const action = useAction();
  const toggle = (enabled: boolean) =>
    action.run(async () => {
      await setEnabled(listed, enabled);
      props.onChanged();
    });
  return (
    <li class="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-2.5" data-testid="listed-rule">
      <input
        type="checkbox"
        class="toggle toggle-sm mt-0.5"
        aria-label={t("alarmRules.isOn", { name: alarmType })}
        checked={listed.enabled}
        disabled={action.busy || !may("profiles:write")}
        onChange={(e) => toggle(e.currentTarget.checked)}
      />
      <div class={`min-w-0 flex-[3_1_18rem] ${listed.enabled ? "" : "text-soft"}`}>
        <p class="wrap-anywhere">
          <a class="link link-hover font-semibold" href={ruleHref(listed)}>
            {alarmType}
          </a>
          {" · "}
          <a class="link link-hover" href={`/settings/profiles/${profileId}`}>
            {profileName}
          </a>
        </p>
        <p class="text-sm wrap-anywhere text-soft">
          {listed.isReadable
            ? ruleText(toRuleForm(listed.rule), resolveKeyMetadata([], listed.keyMetadata))
            : t("alarmRules.unreadable")}
        </p>
        <ErrorNote error={action.error} />
      </div>
      <dl class="grid flex-[1_1_20rem] grid-cols-3 gap-x-4 text-sm">
        <dt class="text-soft">{t("nav.devices")}</dt>
        <dt class="text-soft">{t("alarmRules.open")}</dt>
        <dt class="text-soft">{t("alarmRules.lastRaised")}</dt>
        <dd class={`reading ${deviceCount === 0 ? "text-warning" : ""}`}>{formatCount(deviceCount)}</dd>
        <dd class="reading">
          <a
            class="link link-hover"
            href={`/alarms?${new URLSearchParams({ state: "open", profile: profileId, rule: alarmType })}`}
          >
            {formatCount(openCount)}
          </a>
        </dd>
        <dd>
          <Age ts={toMs(lastRaisedAt)} />
        </dd>
      </dl>
    </li>
  );
}
