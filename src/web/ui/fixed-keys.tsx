import { t } from "../platform/i18n/i18n.ts";

/** Keys that the configuration of the gateway sets, and the page cannot change. */
export const FixedKeys = ({ keys }: { keys: readonly string[] }) =>
  keys.map((key) => (
    <p key={key} class="panel border-l-4 border-l-info p-4">
      {t("common.fixedKey", { key, variable: `LINESIDE_${key.toUpperCase()}` })}
    </p>
  ));
