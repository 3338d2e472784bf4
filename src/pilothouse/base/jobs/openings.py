"""How jobs are admitted, guarded and ended when all fits: the opening CTEs of `base/one_shot.py`, for PostgreSQL.

A lane's row that was locked is read as it is after the lock, also within one statement; other rows are not. So these
look at nothing but the lanes, and leave it to the long way to find held jobs.
"""

JOB_COLUMNS = "id, kind, lane, top_lane, user_id, state, owner, fence, attempt, due_at, moved_at, reply_to"

# Fits when every lane is known with this cap and has room for all.
ADMIT = f"""
want as (
    select * from unnest($1::text[], $2::int[], $3::int[]) as w(key, cap, n)
), locked as materialized (
    select key, cap, used from lanes where key = any($1::text[]) order by key for update
), fits as materialized (
    select count(*) = cardinality($1::text[]) and coalesce(bool_and(l.cap = w.cap and l.used + w.n <= w.cap), false)
    as yes from locked l join want w on w.key=l.key
), taken as (
    update lanes l set used=l.used + w.n from want w, fits where fits.yes and l.key=w.key
), go as materialized (
    select nth from fits, generate_series(1, cardinality($4::text[])) as nth where fits.yes
), fresh as (
    insert into jobs ({JOB_COLUMNS}) select {", ".join(f"v.{name}" for name in JOB_COLUMNS.split(", "))}
    from fits, unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::bigint[], $12::int[], $13::bigint[], $14::bigint[], $15::text[]) as v({JOB_COLUMNS}) where fits.yes
)"""

GUARD = """
fits as (
    select true as yes
), go as materialized (
    select v.nth from jobs j join unnest($1::text[], $2::bigint[]) with ordinality as v(id, fence, nth)
    on j.id=v.id and j.fence=v.fence where j.state='running' order by j.id for update of j
)"""

# Fits when every lane had room before: then nobody waits for the places that are given back.
END = """
locked as materialized (
    select key, cap, used from lanes where key = any($3::text[]) order by key for update
), fits as materialized (
    select count(*) = cardinality($3::text[]) and coalesce(bool_and(used < cap), false) as yes from locked
), pick as materialized (
    select j.id, v.nth from fits, jobs j join unnest($1::text[], $2::bigint[]) with ordinality as v(id, fence, nth)
    on j.id=v.id and j.fence=v.fence where fits.yes and j.state='running' order by j.id for update of j
), gone as (
    delete from jobs using pick where jobs.id=pick.id returning jobs.id, pick.nth, jobs.top_lane, jobs.lane
), facts as (
    delete from inbox using gone where inbox.job_id=gone.id
), places as (
    select k.key, count(*)::int as n from gone, lateral (values (gone.top_lane), (gone.lane)) as k(key)
    where k.key is not null group by k.key
), given as (
    update lanes l set used=greatest(0, l.used - places.n) from places where l.key=places.key
), go as (
    select nth from gone
)"""
