import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Operation, Request, Response } from '../../../control/protocol/protocol.ts';
import { call, isAbort } from '../api.ts';
import { useOverview } from '../live.ts';

export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly again: () => void;
  /** Replaces the data with another operation's answer. */
  readonly take: (data: T) => void;
}

/** Asks once per `key`, and again whenever `tick` changes; keeps the old data until the answer. */
export function useAsk<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  key: string,
  tick: unknown = null,
): Loaded<T> {
  const [known, setKnown] = useState<{ key: string; data: T | null; error: unknown }>({
    key,
    data: null,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    ask(control.signal).then(
      (data) => {
        if (!control.signal.aborted) setKnown({ key, data, error: null });
      },
      (error: unknown) => {
        if (isAbort(error) || control.signal.aborted) return;
        setKnown((before) => ({ key, data: before.key === key ? before.data : null, error }));
      },
    );
    return () => control.abort();
  }, [key, turn, tick]);
  const isOld = known.key !== key;
  return {
    data: isOld ? null : known.data,
    error: isOld ? null : known.error,
    again: () => setTurn((value) => value + 1),
    take: (data) => setKnown({ key, data, error: null }),
  };
}

/** Calls an operation, and again whenever the request or `tick` changes. */
export function useCall<O extends Operation>(
  operation: O,
  request: Request<O>,
  tick: unknown = null,
): Loaded<Response<O>> {
  const key = JSON.stringify([operation, request]);
  return useAsk((signal) => call(operation, request, signal), key, tick);
}

export interface ConsoleAct {
  readonly busy: boolean;
  readonly error: unknown;
  readonly run: (act: () => Promise<void>) => Promise<void>;
}

/** Runs one action of a person at a time, and holds its error. */
export function useAct(): ConsoleAct {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(false);
  return {
    busy,
    error,
    run: async (act) => {
      if (running.current) return;
      running.current = true;
      setBusy(true);
      setError(null);
      try {
        await act();
      } catch (problem) {
        setError(problem);
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
  };
}

/** Follows `value`, but changes at most once per `ms`; the last value always arrives. */
export function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const changedAt = useRef(0);
  useEffect(() => {
    const pause = Math.max(0, changedAt.current + ms - Date.now());
    const timer = setTimeout(() => {
      changedAt.current = Date.now();
      setShown(() => value);
    }, pause);
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}

/** Follows `value` once it has not changed for `ms`. */
export function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(() => value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

/** Changes when the numbers of files have changed, at most once per `ms`. */
export function useCountsTick(ms: number): string {
  return useThrottled(JSON.stringify(useOverview()?.counts ?? null), ms);
}

/** Width of an element in CSS pixels; 0 until it is known. */
export function useWidth(ref: RefObject<HTMLElement | null>): number {
  return useSize(ref).width;
}

/** Size without scroll bars; 0 until known. */
export function useSize(ref: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}

/** The current time, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
