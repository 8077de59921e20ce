/* explore-tree - the rarest rotation of a balanced tree forgets to flush a child. */
#include "../pm.h"

struct node {
	LINE uint64_t left; /* offsets */
	uint64_t right;
	uint8_t key;
};

struct tree {
	LINE uint64_t root;
	LINE uint64_t used;
	struct node node[4];
};

static struct tree *t;

static struct node *at(uint64_t o)
{
	return pm_at(t, o);
}

static uint64_t make(uint8_t key)
{
	struct node *n = &t->node[t->used];

	n->left = n->right = 0;
	n->key = key;
	pm_persist(n, sizeof(*n));
	t->used++;
	pm_persist(&t->used, sizeof(t->used));
	return pm_offset(t, n);
}

static void set_root(uint64_t o)
{
	t->root = o;
	pm_persist(&t->root, sizeof(t->root));
}

/* root > left < its right child: the child becomes the root. */
static void rotate_left_right(uint64_t root, uint64_t left, uint64_t middle)
{
	at(left)->right = 0;
	pm_persist(at(left), sizeof(struct node));
	at(root)->left = 0;
	pm_persist(at(root), sizeof(struct node));
	at(middle)->left = left; //@ store
	at(middle)->right = root; //@ store
#if FIXED
	pm_persist(at(middle), sizeof(struct node));
#endif
	set_root(middle);
}

static void insert(uint8_t key)
{
	uint64_t o = t->root, *link = &t->root, up = 0;

	while (o) {
		if (at(o)->key == key)
			return;
		up = o;
		link = key < at(o)->key ? &at(o)->left : &at(o)->right;
		o = *link;
	}
	*link = make(key);
	pm_persist(link, sizeof(*link));
	if (up && up == at(t->root)->left && !at(t->root)->right && link == &at(up)->right)
		rotate_left_right(t->root, up, *link);
}

int main(int argc, char **argv)
{
	uint8_t key[3];
	int i, n;

	t = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*t));
	if (t->used)
		return 0;
	n = (int)read(0, key, sizeof(key));
	for (i = 0; i < n; i++)
		insert(key[i]);
	return 0;
}
