import { KEY_BYTES_MAX } from "../../../lib/keys/key-metadata.ts";
import { BYTE_ORDERS, isBitArea, REGISTER_AREAS, REGISTER_TYPES } from "../../../lib/modbus/modbus-lists.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import {
  canBeWritten,
  isFieldType,
  type RegisterDraft,
  type RegisterField,
  type RegisterProblems,
} from "./register-draft.ts";

interface Props {
  readonly draft: RegisterDraft;
  readonly problems: RegisterProblems;
  readonly onChange: (changes: Partial<RegisterDraft>) => void;
}

/** Fields of a register for its area and type. */
export function RegisterFields({ draft, problems, onChange }: Props) {
  const { area, type } = draft;
  const isBits = isBitArea(area);
  const isNumber = !isBits && type !== "STRING" && type !== "BOOL";
  const field = (name: RegisterField, isText = false) => (
    <TextField
      key={name}
      label={t(`modbusField.${name}`)}
      error={problems[name] && t(problems[name])}
      {...(!isText && { inputMode: "decimal" as const })}
      autocomplete="off"
      autocapitalize="off"
      maxLength={KEY_BYTES_MAX}
      class="input reading w-full"
      value={draft[name]}
      onText={(text) => onChange({ [name]: text })}
    />
  );
  return (
    <div class="flex flex-col gap-4 px-1 pb-2">
      <div class="grid grid-cols-2 gap-4 md:grid-cols-4">
        {field("key", true)}
        <AreaField draft={draft} onChange={onChange} />
        {field("address")}
        {!isBits && <TypeField draft={draft} onChange={onChange} />}
        {!isBits && type !== "BOOL" && <OrderField draft={draft} onChange={onChange} />}
        {!isBits && type === "STRING" && field("length")}
        {isNumber && (["scale", "offset"] as const).map((name) => field(name))}
        {isNumber && isFieldType(type) && (["bit", "bits"] as const).map((name) => field(name))}
        {isNumber && field("absent")}
        {field("intervalSeconds")}
      </div>
      {canBeWritten(draft) && (
        <Checkbox checked={draft.writable} onCheck={(writable) => onChange({ writable })}>
          {t("fieldConnection.writable")}
        </Checkbox>
      )}
    </div>
  );
}

type SelectProps = Pick<Props, "draft" | "onChange">;

function AreaField({ draft, onChange }: SelectProps) {
  const select = (value: string) => {
    const area = REGISTER_AREAS.find((name) => name === value) ?? "HOLDING_REGISTER";
    const isChanged = isBitArea(area) !== isBitArea(draft.area);
    onChange({ area, ...(isChanged && { type: isBitArea(area) ? "BOOL" : "UINT16" }) });
  };
  return (
    <SelectField
      label={t("modbus.area")}
      value={draft.area}
      options={REGISTER_AREAS}
      text={(name) => t(`modbusArea.${name}`)}
      onSelect={select}
    />
  );
}

const TypeField = ({ draft, onChange }: SelectProps) => (
  <SelectField
    label={t("common.type")}
    value={draft.type}
    options={REGISTER_TYPES}
    text={(name) => t(`modbusType.${name}`)}
    onSelect={(chosen) => onChange({ type: chosen })}
  />
);

const OrderField = ({ draft, onChange }: SelectProps) => (
  <SelectField
    label={t("modbus.order")}
    value={draft.order}
    options={BYTE_ORDERS}
    text={(name) => t(`modbusOrder.${name}`)}
    onSelect={(chosen) => onChange({ order: chosen })}
  />
);
