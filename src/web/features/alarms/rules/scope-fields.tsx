import { plural, t } from "../../../platform/i18n/i18n.ts";
import { useResource } from "../../../platform/resource.ts";
import { Radio } from "../../../ui/form/choice.tsx";
import { SchemaFields } from "../../../ui/form/schema-fields.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { countWatched } from "../alarms-api.ts";
import { isEmptyScope, type RuleScopeForm } from "./rule-form.ts";
import { scopeForm } from "./rule-settings-form.tsx";

const noScope: RuleScopeForm = { deviceIds: [], deviceTypes: [], tags: [] };

/** Selects the watched devices of the profile, and shows their number; null for all of them. */
export function ScopeFields(props: {
  profileId: string;
  profileName: string;
  scope: RuleScopeForm | null;
  onChange: (scope: RuleScopeForm | null) => void;
}) {
  const { profileId, scope, onChange } = props;
  const isEmpty = scope !== null && isEmptyScope(scope);
  const count = useResource(
    async () => (isEmpty ? 0 : (await countWatched(profileId, scope ?? undefined)).deviceCount),
    [profileId, JSON.stringify(scope)],
  );
  return (
    <fieldset class="flex flex-col gap-2.5 text-sm" data-testid="rule-scope">
      <legend class="mb-2 font-medium">{t("rule.scope")}</legend>
      <Radio name="scope" checked={scope === null} onChange={() => onChange(null)}>
        {t("rule.scope.all", { name: props.profileName })}
      </Radio>
      <Radio name="scope" checked={scope !== null} onChange={() => onChange(scope ?? noScope)}>
        {t("rule.scope.some")}
      </Radio>
      {scope !== null && (
        <div class="ml-8 flex flex-col gap-4">
          <SchemaFields
            form={scopeForm}
            values={{ ...scope }}
            onChange={(values) => onChange(values as unknown as RuleScopeForm)} // with types of the schema
          />
        </div>
      )}
      {isEmpty ? (
        <p class="text-error">{t("rule.scopeNeeded")}</p>
      ) : (
        <Loaded of={count}>
          {(deviceCount) => (
            <p class="text-soft" role="status">
              {plural("rule.watches", deviceCount)}
            </p>
          )}
        </Loaded>
      )}
    </fieldset>
  );
}
