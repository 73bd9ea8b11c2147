import type { Answer } from '../../src/core/domain/outcome.ts';
import { faultOf, type Fault } from '../../src/texts/fault.ts';

/** What is said about a request that got no answer; null if it got one. */
export function meaningOf(answer: Answer): Fault | 'refusedByProxy' | 'name' | null {
  if (answer.kind !== 'fault') return null;
  const { fault } = answer;
  switch (fault.at) {
    case 'service':
    case 'forward':
      return faultOf(fault.code, fault.isConnecting);
    case 'proxy':
      return faultOf(fault.code, true);
    case 'proxyAnswer':
      return 'refusedByProxy';
    case 'name':
      return 'name';
  }
}
