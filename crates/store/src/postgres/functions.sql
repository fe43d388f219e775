
-- Writes the net changes of a group of transactions, all or none: it fails if a precondition does not hold.
--
-- For the caller this is one statement, so it needs no BEGIN or COMMIT. Existing rows are locked first, matches
-- before records and each in key order. Every server uses this order, so deadlocks cannot occur. All arrays are
-- sorted in that order.
CREATE FUNCTION write_group(
    begun_ids uuid[], begun_heads bigint[], begun_due bigint[],
    moved_ids uuid[], moved_before bigint[], moved_heads bigint[], moved_how smallint[], moved_due bigint[],
    row_ids uuid[], row_versions bigint[], row_bodies bytea[],
    snapshot_ids uuid[], snapshot_versions bigint[], snapshot_bodies bytea[],
    made_keys bytea[], made_values bytea[],
    changed_keys bytea[], changed_versions bigint[], changed_values bytea[],
    put_keys bytea[], put_values bytea[],
    removed_keys bytea[], removed_versions bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    known_keys bytea[] := changed_keys || put_keys || removed_keys;
    counted bigint;
    wanted bigint;
BEGIN
    IF cardinality(moved_ids) > 1 OR cardinality(known_keys) > 0 THEN
        PERFORM FROM matches WHERE match = ANY(moved_ids) ORDER BY match FOR UPDATE;
    END IF;
    IF cardinality(known_keys) > 1 THEN
        PERFORM FROM records WHERE key = ANY(known_keys) ORDER BY key FOR UPDATE;
    END IF;

    IF cardinality(begun_ids) > 0 THEN
        INSERT INTO matches (match, head, due_ms, wake_ms)
        SELECT g.match, g.head, g.due_ms, g.due_ms
        FROM unnest(begun_ids, begun_heads, begun_due) AS g (match, head, due_ms);
    END IF;
    IF cardinality(moved_ids) > 0 THEN
        -- how: 0 keeps the due time, 1 sets it, 2 clears it. The wake time never moves later here, so that no
        -- index changes; looking for due matches corrects it.
        UPDATE matches SET
            head = g.head,
            due_ms = CASE g.how WHEN 0 THEN matches.due_ms WHEN 1 THEN g.due_ms END,
            wake_ms = CASE g.how WHEN 1 THEN least(matches.wake_ms, g.due_ms) ELSE matches.wake_ms END,
            held_until_ms = CASE g.how WHEN 0 THEN matches.held_until_ms END
        FROM unnest(moved_ids, moved_before, moved_heads, moved_how, moved_due)
            AS g (match, before, head, how, due_ms)
        WHERE matches.match = g.match AND matches.head = g.before;
        GET DIAGNOSTICS counted = ROW_COUNT;
        PERFORM must_be(cardinality(moved_ids), counted);
    END IF;
    IF cardinality(row_ids) > 0 THEN
        INSERT INTO log (match, version, body) SELECT * FROM unnest(row_ids, row_versions, row_bodies);
    END IF;
    IF cardinality(snapshot_ids) > 0 THEN
        INSERT INTO snapshots (match, version, body)
        SELECT * FROM unnest(snapshot_ids, snapshot_versions, snapshot_bodies)
        ON CONFLICT (match) DO UPDATE SET version = excluded.version, body = excluded.body
        WHERE excluded.version >= snapshots.version;
    END IF;

    IF cardinality(made_keys) > 0 THEN
        INSERT INTO records (key, version, value)
        SELECT g.key, nextval('record_changes'), g.value FROM unnest(made_keys, made_values) AS g (key, value);
    END IF;
    IF cardinality(changed_keys) > 0 THEN
        UPDATE records SET version = nextval('record_changes'), value = g.value
        FROM unnest(changed_keys, changed_versions, changed_values) AS g (key, version, value)
        WHERE records.key = g.key AND records.version = g.version;
        GET DIAGNOSTICS counted = ROW_COUNT;
        PERFORM must_be(cardinality(changed_keys), counted);
    END IF;
    IF cardinality(put_keys) > 0 THEN
        -- An existing record gets a freshly drawn version: the one drawn for the insert may be older than its
        -- current one.
        INSERT INTO records (key, version, value)
        SELECT g.key, nextval('record_changes'), g.value FROM unnest(put_keys, put_values) AS g (key, value)
        ON CONFLICT (key) DO UPDATE SET version = nextval('record_changes'), value = excluded.value;
    END IF;
    IF cardinality(removed_keys) > 0 THEN
        WITH removed AS (
            DELETE FROM records USING unnest(removed_keys, removed_versions) AS g (key, version)
            WHERE records.key = g.key AND (g.version IS NULL OR records.version = g.version)
            RETURNING g.version)
        SELECT count(version) INTO counted FROM removed;
        SELECT count(version) INTO wanted FROM unnest(removed_versions) AS g (version);
        PERFORM must_be(wanted, counted);
    END IF;
END
$$;

CREATE FUNCTION must_be(wanted bigint, counted bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF counted <> wanted THEN
        RAISE EXCEPTION 'something is not as it was expected' USING ERRCODE = 'IM001';
    END IF;
END
$$;

-- Deletes a match with its log and snapshot. Its row is locked before the log is read, because a current holder
-- of the lock may still append.
CREATE FUNCTION forget_match(forgotten uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM matches WHERE match = forgotten FOR UPDATE;
    DELETE FROM log WHERE match = forgotten;
    DELETE FROM snapshots WHERE match = forgotten;
    DELETE FROM matches WHERE match = forgotten;
END
$$;
