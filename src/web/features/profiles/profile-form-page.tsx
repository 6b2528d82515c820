import { useState } from "preact/hooks";
import { changedFields } from "../../lib/changed-fields.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { AutomaticDurationField } from "../../ui/automatic-duration-field.tsx";
import { DurationField } from "../../ui/duration-field.tsx";
import { FormPage } from "../../ui/form-page.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { ProfileHead } from "./profile-head.tsx";
import { type Payload, type Profile, type ProfileForm, profilesApi } from "./profiles-api.ts";
import { isValidDraft, type RequestDraft, toDraft, toRule } from "./request-drafts.ts";
import { RequestFields } from "./request-fields.tsx";

const PAYLOADS: readonly Payload[] = ["AUTO", "JSON", "CBOR", "LENIENT_JSON"];

const NEW: ProfileForm = {
  name: "",
  description: "",
  isDefault: false,
  inactivityTimeoutMs: null,
  commandTimeoutMs: 30_000,
  retentionDays: null,
  telemetryTopic: null,
  payload: "AUTO",
  createsChildren: true,
  sessionsMax: 1,
  sessionsWhenFull: "REPLACE",
  messagesPerSecond: null,
  messagesBurst: null,
  convertsNumericText: false,
  deviceRequests: [],
};

interface FieldsProps {
  readonly form: ProfileForm;
  readonly set: (changes: Partial<ProfileForm>) => void;
}

/** Form of a profile that exists: one of the tabs of its page. */
export function ProfileSettings({ profileId }: { profileId: string }) {
  const resource = useResource(() => profilesApi.get(profileId), [profileId]);
  return (
    <Loaded of={resource} isPage>
      {(profile) => <ProfileFormPage profile={profile} onSaved={resource.set} />}
    </Loaded>
  );
}

/** Creates a profile, or changes the one that it gets. */
export function ProfileFormPage(props: { profile?: Profile; onSaved: (saved: Profile) => void }) {
  const { profile, onSaved } = props;
  const [form, setForm] = useState<ProfileForm>(profile ?? NEW);
  const [drafts, setDrafts] = useState<readonly RequestDraft[]>(form.deviceRequests.map(toDraft));
  const set = (changes: Partial<ProfileForm>) => setForm((profileForm) => ({ ...profileForm, ...changes }));
  const action = useAction(["name"]);
  const submit = () => {
    if (!drafts.every(isValidDraft)) return;
    const texts = { name: form.name.trim(), description: form.description.trim() };
    const trimmed = { ...form, ...texts, deviceRequests: drafts.map(toRule) };
    action.run(async () => {
      const saved = profile
        ? await profilesApi.update(profile.profileId, changedFields(trimmed, profile))
        : await profilesApi.create(trimmed);
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      setForm(saved);
      onSaved(saved);
    });
  };
  return (
    <FormPage
      title={t("profiles.create")}
      back={{ href: "/settings/profiles", text: t("page.profiles") }}
      isNested
      head={profile && <SettingsHead profile={profile} />}
      submitText={t(profile ? "common.save" : "profiles.create")}
      onSubmit={submit}
      busy={action.busy}
      error={action.error}
      isFixed={!may("profiles:write")}
    >
      <div class="panel flex flex-col gap-4 p-4 sm:p-5">
        <TextField
          label={t("common.name")}
          error={action.errorOf("name")}
          required
          maxLength={200}
          pattern=".*\S.*"
          autofocus={profile === undefined}
          value={form.name}
          onText={(text) => set({ name: text })}
        />
        <TextAreaField
          label={t("common.description")}
          rows={2}
          maxLength={2000}
          value={form.description}
          class="textarea w-full"
          onText={(text) => set({ description: text })}
        />
        <Check
          label={t("profile.isDefault")}
          hint={t(profile?.isDefault ? "profile.isDefaultNow" : "profile.isDefaultHint")}
          checked={form.isDefault}
          disabled={profile?.isDefault ?? false}
          onChange={(isDefault) => set({ isDefault })}
        />
      </div>
      <DataFields form={form} set={set} />
      <LimitFields form={form} set={set} />
      <RequestFields drafts={drafts} onChange={setDrafts} />
    </FormPage>
  );
}

const SettingsHead = ({ profile: { profileId, name } }: { profile: Profile }) => (
  <ProfileHead profileId={profileId} name={name} tab="settings" />
);

function DataFields({ form, set }: FieldsProps) {
  return (
    <Section id="profile-data" title={t("profile.data")}>
      <AutomaticDurationField
        label={t("profile.inactivity")}
        hint={t("profile.inactivityHint")}
        ms={form.inactivityTimeoutMs}
        onChange={(inactivityTimeoutMs) => set({ inactivityTimeoutMs })}
      />
      <NumberField
        label={t("profile.retention")}
        hint={t("profile.retentionHint")}
        max={36_500}
        value={form.retentionDays}
        onChange={(retentionDays) => set({ retentionDays })}
      />
      <SelectField
        label={t("profile.payload")}
        hint={t("profile.payloadHint")}
        value={form.payload}
        options={PAYLOADS}
        text={(payload) => t(`payload.${payload}`)}
        onSelect={(payload) => set({ payload })}
      />
      <TextField
        label={t("profile.topic")}
        hint={t("profile.topicHint")}
        maxLength={512}
        autocapitalize="off"
        spellcheck={false}
        value={form.telemetryTopic ?? ""}
        class="input reading w-full"
        onText={(text) => set({ telemetryTopic: text.trim() || null })}
      />
      <Check
        label={t("profile.numericText")}
        hint={t("profile.numericTextHint")}
        checked={form.convertsNumericText}
        onChange={(convertsNumericText) => set({ convertsNumericText })}
      />
    </Section>
  );
}

function LimitFields({ form, set }: FieldsProps) {
  return (
    <Section id="profile-limits" title={t("profile.limits")}>
      <DurationField
        label={t("profile.commandTimeout")}
        ms={form.commandTimeoutMs}
        onChange={(commandTimeoutMs) => set({ commandTimeoutMs })}
      />
      <TextField
        label={t("profile.sessions")}
        hint={t("profile.sessionsHint")}
        type="number"
        min={1}
        max={16}
        required
        value={Number.isNaN(form.sessionsMax) ? "" : form.sessionsMax}
        class="input w-28"
        onInput={(e) => set({ sessionsMax: e.currentTarget.valueAsNumber })}
      />
      <Check
        label={t("profile.sessionsRefuse")}
        hint={t("profile.sessionsRefuseHint")}
        checked={form.sessionsWhenFull === "REFUSE"}
        onChange={(isRefused) => set({ sessionsWhenFull: isRefused ? "REFUSE" : "REPLACE" })}
      />
      <div class="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t("profile.rate")}
          hint={t("profile.rateHint")}
          max={1_000_000}
          value={form.messagesPerSecond}
          onChange={(messagesPerSecond) => set({ messagesPerSecond })}
        />
        <NumberField
          label={t("profile.burst")}
          hint={t("profile.burstHint")}
          max={1_000_000}
          value={form.messagesBurst}
          onChange={(messagesBurst) => set({ messagesBurst })}
        />
      </div>
      <Check
        label={t("profile.children")}
        hint={t("profile.childrenHint")}
        checked={form.createsChildren}
        onChange={(createsChildren) => set({ createsChildren })}
      />
    </Section>
  );
}

/** A whole number from 1 on; empty is null. */
function NumberField(props: {
  label: string;
  hint: string;
  max: number;
  value: number | null;
  onChange: (value: number | null) => void;
}) {
  return (
    <TextField
      label={props.label}
      hint={props.hint}
      type="number"
      min={1}
      max={props.max}
      value={props.value ?? ""}
      onInput={(e) => {
        const number = e.currentTarget.valueAsNumber;
        props.onChange(Number.isNaN(number) ? null : number);
      }}
    />
  );
}

function Check(props: {
  label: string;
  hint: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label class="flex cursor-pointer items-start gap-3">
      <input
        type="checkbox"
        class="checkbox checkbox-sm mt-0.5 flex-none"
        checked={props.checked}
        disabled={props.disabled}
        onChange={(e) => props.onChange(e.currentTarget.checked)}
      />
      <span>
        {props.label}
        <span class="block text-sm text-soft">{props.hint}</span>
      </span>
    </label>
  );
}
