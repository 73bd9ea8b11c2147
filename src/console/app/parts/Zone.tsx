import { useOverview } from '../live.ts';
import { t } from '../texts.ts';

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All times of the console are by one clock; where the machine has another, it is said once. */
export function Zone() {
  const zone = useOverview()?.zone;
  const isOther = zone !== undefined && zone.offsetMinutes !== -new Date().getTimezoneOffset();
  return (
    <footer class="muted small zone">
      {t.zone.here(HERE)}
      {isOther && ` ${t.zone.other(zone.name)}`}
    </footer>
  );
}
