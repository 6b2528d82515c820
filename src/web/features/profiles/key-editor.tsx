import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { unitSymbol } from "../../../lib/keys/key-format.ts";
import {
  DECIMALS_MAX,
  KEY_BYTES_MAX,
  KEY_KINDS,
  type KeyMetadata,
  LIMIT_NAMES,
  NAME_CHARACTERS_MAX,
  STATE_COLORS,
  UNIT_CHARACTERS_MAX,
} from "../../../lib/keys/key-metadata.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useFirstField } from "../../ui/form/use-first-field.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { fromKeyForm, type KeyForm, misplacedLimit, type StateForm } from "./key-form.ts";

const UNITS = ["°C", "%", "bar", "hPa", "V", "A", "W", "kW", "kWh", "ppm", "dBm", "mm/s", "m³", "m³/h", "Hz"];

interface Props {
  readonly form: KeyForm;
  readonly isNew: boolean;
  /** Entries of all keys with metadata. */
  readonly entries: readonly KeyMetadata[];
  /** Keys offered for a new entry. */
  readonly offered: readonly string[];
  readonly sampleOf: (key: string) => JsonValue | undefined;
  readonly onSave: (form: KeyForm) => Promise<void>;
  readonly onCancel: () => void;
}

interface PartProps {
  readonly form: KeyForm;
  readonly set: (changes: Partial<KeyForm>) => void;
}

/** Edits the metadata of one key, with an example of a formatted value. */
export function KeyEditor(props: Props) {
  const { form: first, isNew, entries, offered, sampleOf, onSave, onCancel } = props;
  const [form, setForm] = useState(first);
  const action = useAction();
  const set = (changes: Partial<KeyForm>) => setForm((before) => ({ ...before, ...changes }));
  const top = useFirstField();
  const isTaken = isNew && entries.some(({ key }) => key === form.key);
  const sample = sampleOf(form.key);
  const submit = (e: Event) => {
    e.preventDefault();
    if (!isTaken && misplacedLimit(form.limits) === undefined) action.run(() => onSave(form));
  };
  return (
    <form ref={top} class="flex flex-col gap-5" onSubmit={submit} data-testid="key-editor">
      {isNew && (
        <TextField
          label={t("common.key")}
          error={isTaken ? t("meta.keyTaken") : undefined}
          required
          maxLength={KEY_BYTES_MAX}
          list="sent-keys"
          autocapitalize="off"
          spellcheck={false}
          value={form.key}
          onText={(key) => set({ key })}
        />
      )}
      <datalist id="sent-keys">
        {offered.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <div class="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t("common.name")}
          hint={t("meta.nameHint")}
          maxLength={NAME_CHARACTERS_MAX}
          value={form.name}
          onText={(name) => set({ name })}
        />
        <KindField form={form} set={set} />
        <UnitField form={form} set={set} />
        <TextField
          label={t("common.decimals")}
          hint={t("meta.decimalsHint")}
          type="number"
          min={0}
          max={DECIMALS_MAX}
          value={form.decimals ?? ""}
          onInput={(e) => set({ decimals: numberIn(e.currentTarget) })}
        />
        <GroupField form={form} set={set} entries={entries} />
      </div>
      <LimitFields form={form} set={set} />
      <StateFields form={form} set={set} />
      {sample !== undefined && sample !== null && (
        <p class="text-sm text-soft" aria-live="polite">
          {t("meta.example", { value: formatReading(sample, fromKeyForm(form, sample)) })}
        </p>
      )}
      <FormButtons busy={action.busy} error={action.error} onCancel={onCancel}>
        {t("common.save")}
      </FormButtons>
    </form>
  );
}

const numberIn = ({ valueAsNumber }: HTMLInputElement): number | undefined =>
  Number.isFinite(valueAsNumber) ? valueAsNumber : undefined;

function KindField({ form, set }: PartProps) {
  return (
    <SelectField
      label={t("meta.kind")}
      value={form.kind}
      options={KEY_KINDS}
      text={(kind) => t(`keyKind.${kind}`)}
      none={t("meta.kindNone")}
      onSelect={(chosen) => set({ kind: chosen })}
      onNone={() => set({ kind: "" })}
    />
  );
}

function UnitField({ form, set }: PartProps) {
  return (
    <>
      <TextField
        label={t("common.unit")}
        hint={t("meta.unitHint")}
        maxLength={UNIT_CHARACTERS_MAX}
        list="units"
        autocapitalize="off"
        spellcheck={false}
        value={unitSymbol(form.unit)}
        onText={(unit) => set({ unit })}
      />
      <datalist id="units">
        {UNITS.map((unit) => (
          <option key={unit} value={unit} />
        ))}
      </datalist>
    </>
  );
}

function GroupField({ form, set, entries }: PartProps & Pick<Props, "entries">) {
  const groups = new Set(entries.flatMap(({ group }) => group ?? []));
  return (
    <>
      <TextField
        label={t("meta.group")}
        hint={t("meta.groupHint")}
        maxLength={NAME_CHARACTERS_MAX}
        list="key-groups"
        value={form.group}
        onText={(group) => set({ group })}
      />
      <datalist id="key-groups">
        {[...groups].map((group) => (
          <option key={group} value={group} />
        ))}
      </datalist>
    </>
  );
}

function LimitFields({ form, set }: PartProps) {
  const misplaced = misplacedLimit(form.limits);
  return (
    <fieldset class="flex flex-col gap-2">
      <legend class="mb-1.5 font-semibold">{t("meta.limits")}</legend>
      <p class="text-sm text-soft">{t("meta.limitsHint")}</p>
      <div class="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {LIMIT_NAMES.map((name) => (
          <TextField
            key={name}
            label={t(`keyLimit.${name}`)}
            error={name === misplaced ? t("meta.limitOrder") : undefined}
            type="number"
            step="any"
            value={form.limits[name] ?? ""}
            onInput={(e) => {
              const { [name]: _, ...others } = form.limits;
              const limit = numberIn(e.currentTarget);
              set({ limits: limit === undefined ? others : { ...others, [name]: limit } });
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

function StateFields({ form, set }: PartProps) {
  const { states } = form;
  const change = (index: number, changes: Partial<StateForm>) =>
    set({ states: states.map((state, position) => (position === index ? { ...state, ...changes } : state)) });
  return (
    <fieldset class="flex flex-col gap-2">
      <legend class="mb-1.5 font-semibold">{t("meta.states")}</legend>
      <p class="text-sm text-soft">{t("meta.statesHint")}</p>
      {states.map((state, index) => (
        <div key={index} class="flex flex-wrap items-center gap-2">
          <input
            class="input reading w-32"
            aria-label={t("common.value")}
            placeholder={t("common.value")}
            required
            maxLength={NAME_CHARACTERS_MAX}
            value={state.value}
            onInput={(e) => change(index, { value: e.currentTarget.value })}
          />
          <input
            class="input min-w-40 flex-1"
            aria-label={t("meta.stateName")}
            placeholder={t("meta.stateName")}
            required
            maxLength={NAME_CHARACTERS_MAX}
            pattern=".*\S.*"
            value={state.name}
            onInput={(e) => change(index, { name: e.currentTarget.value })}
          />
          <select
            class="select w-36"
            aria-label={t("common.color")}
            value={state.color}
            onChange={(e) =>
              change(index, { color: STATE_COLORS.find((color) => color === e.currentTarget.value) ?? "" })
            }
          >
            <option value="">{t("meta.colorNone")}</option>
            {STATE_COLORS.map((color) => (
              <option key={color} value={color}>
                {t(`stateColor.${color}`)}
              </option>
            ))}
          </select>
          <DeleteButton
            label={t("meta.removeState", { name: state.name || state.value })}
            onClick={() => set({ states: states.toSpliced(index, 1) })}
          />
        </div>
      ))}
      <Button
        icon={Plus}
        size={14}
        class="btn btn-sm self-start"
        onClick={() => set({ states: [...states, { value: "", name: "", color: "" }] })}
      >
        {t("meta.addState")}
      </Button>
    </fieldset>
  );
}
