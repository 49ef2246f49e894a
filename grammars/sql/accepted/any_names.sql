SELECT id, "name" FROM users u
WHERE u.created_at > now() - 1;
