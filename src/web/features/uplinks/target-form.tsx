import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/form/choice.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { certificatesForm, hasTlsChoice, type TargetType, targetForm } from "./target-fields.ts";

interface Props {
  readonly type: TargetType;
  readonly target: FormValues;
  readonly onChange: (target: FormValues) => void;
}

export function TargetForm({ type, target, onChange }: Props) {
  const { tls } = target;
  const isOn = typeof tls === "object" && tls !== null;
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <SchemaFields form={targetForm(type)} values={target} onChange={onChange} />
      <div class="flex flex-col gap-3 sm:col-span-2">
        {hasTlsChoice(type) && (
          <Checkbox checked={isOn} onCheck={(on) => onChange({ ...target, tls: on ? {} : null })}>
            {t("uplinkField.tls")}
          </Checkbox>
        )}
        {(isOn || !hasTlsChoice(type)) && (
          <details>
            <summary class="cursor-pointer text-sm font-medium">{t("uplinkField.certificates")}</summary>
            <div class="mt-3 grid gap-4 sm:grid-cols-2">
              <SchemaFields form={certificatesForm(type)} values={target} onChange={onChange} />
            </div>
          </details>
        )}
      </div>
    </div>
  );
}
