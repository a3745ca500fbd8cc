// For tests of retention: what is kept, and an installation that has made a partition for each day.

/** No setting of retention. */
export const FOR_EVER = {
  decisions: undefined,
  facts: undefined,
  texts: undefined,
  intents: undefined,
  signals: undefined,
  jobs: undefined,
  deliveries: undefined,
  approvals: undefined,
  actions: undefined,
};

/** SQL: partitions of a day, from one day ahead to `days` days ago, instead of the first one. */
export const dailyPartitions = (days: number): string => `DO $$
  DECLARE day integer; part text; parent text; id text;
  BEGIN
    FOREACH parent IN ARRAY ARRAY['decision', 'intent_parse'] LOOP
      EXECUTE format('DROP TABLE %I', parent || '_first');
      id := CASE parent WHEN 'decision' THEN 'dec' ELSE 'int' END;
      FOR day IN -1..${days} LOOP
        part := format('%s_day_%s', parent, day + 1);
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', part, parent,
          custos_id_at(id, now() - day * interval '1 day' - interval '1 hour'), custos_id_at(id, now() - (day - 1) * interval '1 day' - interval '1 hour'));
        EXECUTE format('ALTER TABLE %I OWNER TO %I', part, (SELECT tableowner FROM pg_tables WHERE tablename = parent));
      END LOOP;
    END LOOP;
  END $$`;
