-- a table
create table if not exists Accounts (
	id integer primary key, /* key */
	name varchar(255) character set utf8 not null default ''
);

