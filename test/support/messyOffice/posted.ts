import type { Image } from './plan.ts';

/** Merchants as the service might write them; the format of results is unspecified. */
const MERCHANTS = [
  'Hotel Ärger',
  'Müller & Söhne GmbH',
  'Café <img src=x onerror=alert(2)>',
  'Bäckerei Groß',
  'Taxi 4711',
];

/** A result that the service posts about an image: nested, with amounts as numbers or strings. */
export function resultOf({ name, endpoint, number, at }: Image, status: string) {
  const total = 12.5 + (number % 400);
  return {
    name,
    endpointUid: endpoint.uid,
    status,
    total: number % 5 === 0 ? `${total.toFixed(2).replace('.', ',')} €` : total,
    receipt: {
      merchant: MERCHANTS[number % MERCHANTS.length] ?? '',
      date: new Date(at).toISOString().slice(0, 10),
      '<img src=x onerror=alert(3)>': '${total}</script>{0} $& %s',
    },
  };
}
